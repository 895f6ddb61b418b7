/** The same contracts by Effect's own `HttpApiClient`: no session, no retries, no send phase. */
import { Amount } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import type { Contender } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"
import { ofEffects } from "./effects.ts"

const amount = Amount.of("12.5")

const make = (origin: string) =>
  HttpApiClient.make(CustodyApi, {
    baseUrl: `${origin}${basePath}`,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-access-token", accessToken))
  })

class Client extends Context.Service<Client, Effect.Success<ReturnType<typeof make>>>()("bench/Client") {}

export const effectHttpApi: Contender = (origin) =>
  ofEffects(
    {
      read: Client.use((client) => client.vaults.details()),
      write: Client.use((client) =>
        client.transactions.send({
          payload: { clientId: "alice", assetId: "usdc", to: jobs.write.body!["to"]!, amount }
        })
      ),
      refusal: Client.use((client) => Effect.flip(client.wallets.get({ params: { walletId: "missing" } }))),
      list: Client.use((client) => client.transactions.list({ query: { limit: 100 } }))
    },
    Layer.effect(Client, make(origin)).pipe(Layer.provide(NodeHttpClient.layerUndici))
  )
