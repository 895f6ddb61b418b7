/** Clients for any API. None of them knows what a payment is. */
import axios from "axios"
import axiosRetry from "axios-retry"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import createClient from "openapi-fetch"
import { modelled, type World } from "../Contender.ts"

const input = { amount: 1 }
const keyed = (key: string | undefined) => ({ headers: key === undefined ? {} : { "Idempotency-Key": key } })

/** What openapi-typescript would make of the endpoint. */
interface Paths {
  readonly "/pay": {
    readonly post: {
      readonly requestBody: { readonly content: { readonly "application/json": typeof input } }
      readonly responses: { readonly default: { readonly content: { readonly "application/json": unknown } } }
    }
  }
}

const general = (name: string, call: string, connect: World["connect"]) =>
  modelled({ package: name, call, pays: /\/pay$/, programKey: "optional", reply: (id) => ({ id }), connect })

const throughEffect =
  (adapt: (client: HttpClient.HttpClient) => HttpClient.HttpClient): World["connect"] =>
  (origin) =>
  (key) => {
    const request = HttpClientRequest.post(`${origin}/pay`, keyed(key)).pipe(HttpClientRequest.bodyJsonUnsafe(input))
    return Effect.gen(function* () {
      const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
      const response = yield* adapt(client).execute(request)
      return yield* response.json
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
  }

export const contenders = [
  general("axios", "post", (baseURL) => {
    const client = axios.create({ baseURL })
    return (key) => client.post("/pay", input, keyed(key))
  }),
  general("axios-retry", "axiosRetry(axios), default settings", (baseURL) => {
    const client = axios.create({ baseURL })
    axiosRetry(client)
    return (key) => client.post("/pay", input, keyed(key))
  }),
  general("effect", "HttpClient, no retry", throughEffect(identity)),
  general("effect", "HttpClient.retryTransient({ times: 3 })", throughEffect(HttpClient.retryTransient({ times: 3 }))),
  general("openapi-fetch", "POST", (baseUrl) => {
    const client = createClient<Paths>({ baseUrl })
    return async (key) => {
      const { data, error, response } = await client.POST("/pay", { body: input, ...keyed(key) })
      if (error === undefined) return data
      // It throws no error of an answer: it returns the body.
      throw Object.assign(new Error(`{ error } is ${JSON.stringify(error)}`), { status: response.status })
    }
  })
]
