/**
 * How often a payment is made twice: the same payments, over real sockets, through the same faults, to the emulator,
 * whose ledger counts them; by this SDK, by the same SDK with `HttpClient.retryTransient` in place of its policy, and by axios with axios-retry.
 *
 * `pnpm bench payments [--payments N] [--seed S]`
 */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import axios, { type AxiosInstance } from "axios"
import axiosRetry, { exponentialDelay, isNetworkOrIdempotentRequestError, isRetryableError } from "axios-retry"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Http from "node:http"
import { parseArgs } from "node:util"
import { formatMark } from "../../../test/support/worlds/writes.ts"
import { makePaymentService, type PaymentService } from "./paymentService.ts"

const { values } = parseArgs({
  options: {
    payments: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" }
  }
})
const payments = Number(values.payments)
const seed = Number(values.seed)
const concurrency = 64

/** How long each client waits for one answer. */
const patience = 2_000

/** What a caller knows of its payment. */
type Told = "paid" | "outcome unknown" | "failed"

/** Pays once for each mark, and says what became of each. */
type Payer = (service: PaymentService, marks: ReadonlyArray<string>) => Promise<ReadonlyArray<Told>>

const throughSdk =
  (retry: RetryPolicy.RetryPolicy, meddle: (client: HttpClient.HttpClient) => HttpClient.HttpClient): Payer =>
  ({ apiKey, baseUrl }, marks) => {
    const http = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, meddle)).pipe(
      Layer.provide(NodeCustody.layerHttpClient())
    )
    const live = Custody.layer({
      environment: Environment.local(baseUrl),
      apiKey,
      retry,
      limits: { attemptTimeout: Duration.millis(patience * 10) }
    }).pipe(Layer.provide([http, TokenStore.layerMemory]))
    const pay = (mark: string): Effect.Effect<Told, never, CustodyClient> =>
      Transactions.send({
        clientId: "alice",
        assetId: "usdc",
        to: "0xabc",
        amount: Amount.of("1"),
        note: mark
      }).pipe(
        Effect.as<Told>("paid"),
        Effect.catch((error) => Effect.succeed<Told>(error._tag === "OutcomeUnknown" ? "outcome unknown" : "failed"))
      )
    return Effect.runPromise(Effect.forEach(marks, pay, { concurrency }).pipe(Effect.provide([live, Logger.layer([])])))
  }

/** Fails an exchange that takes too long, as the transport's own failures do. */
const inTime = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (exchange, request) =>
    Effect.timeoutOrElse(exchange, {
      duration: patience,
      orElse: () => {
        const cause = Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })
        return Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        )
      }
    })
  )

const throughAxios =
  (retries: (client: AxiosInstance) => void): Payer =>
  async ({ apiKey, baseUrl }, marks) => {
    let tokens: { readonly accessToken: string; readonly refreshToken: string }
    const exchange = async (path: string, secret: object) => {
      const answer = await axios.post(`${baseUrl}${path}`, secret)
      tokens = (answer.data as { data: typeof tokens }).data
    }
    await exchange("/auth/generate-tokens", { apiKey: Redacted.value(apiKey) })
    // One refresh for all who wait for it: a refresh token can be spent once.
    let refreshing: Promise<void> | undefined
    const refresh = () =>
      (refreshing ??= exchange("/auth/refresh-token", { refreshToken: tokens.refreshToken }).finally(() => {
        refreshing = undefined
      }))
    const client = axios.create({ baseURL: baseUrl, timeout: patience, httpAgent: new Http.Agent({ keepAlive: true }) })
    client.interceptors.request.use((config) => {
      config.headers.set("X-ACCESS-TOKEN", tokens.accessToken)
      return config
    })
    // The usual way to refresh: once, and the request again.
    client.interceptors.response.use(undefined, async (error: unknown) => {
      if (!axios.isAxiosError(error) || error.response?.status !== 498 || error.config === undefined) throw error
      await refresh()
      return client.request(error.config)
    })
    retries(client)
    const pay = async (mark: string): Promise<Told> => {
      try {
        await client.post("/transactions/send", {
          clientId: "alice",
          assetId: "usdc",
          to: "0xabc",
          amount: "1",
          note: mark
        })
        return "paid"
      } catch {
        return "failed"
      }
    }
    const told: Array<Told> = []
    const queue = marks.entries()
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (const [at, mark] of queue) told[at] = await pay(mark)
      })
    )
    return told
  }

const contenders: ReadonlyArray<readonly [name: string, payer: Payer]> = [
  ["effect-custody", throughSdk(RetryPolicy.standard, inTime)],
  [
    "effect-custody with HttpClient.retryTransient",
    throughSdk(RetryPolicy.none, (client) =>
      HttpClient.retryTransient(inTime(client), { times: 3, schedule: Schedule.exponential("50 millis") })
    )
  ],
  [
    "axios + axios-retry, default settings",
    throughAxios((client) => {
      axiosRetry(client, { retries: 3, retryDelay: exponentialDelay })
    })
  ],
  [
    "axios + axios-retry, 5xx and time-outs too",
    throughAxios((client) => {
      axiosRetry(client, {
        retries: 3,
        retryDelay: exponentialDelay,
        shouldResetTimeout: true,
        retryCondition: (error) =>
          isNetworkOrIdempotentRequestError(error) || isRetryableError(error) || error.code === "ECONNABORTED"
      })
    })
  ],
  ["axios alone", throughAxios(() => {})]
]

const marks = Array.from({ length: payments }, (_, at) => formatMark(at))

const rows: Array<Record<string, string | number>> = []
for (const [name, payer] of contenders) {
  const service = await makePaymentService(seed)
  const told = await payer(service, marks)
  // What was stalled is done by now.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const paid = await service.paid()
  const counts = marks.map((mark) => paid.get(mark) ?? 0)
  const of = (what: (count: number, told: Told) => boolean) =>
    counts.filter((count, at) => what(count, told[at]!)).length
  rows.push({
    client: name,
    requests: service.requests(),
    "paid twice or more": of((count) => count > 1),
    "too many payments": counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    "failed, but paid": of((count, what) => count > 0 && what === "failed"),
    "reported unknown": of((_, what) => what === "outcome unknown"),
    "not paid": of((count) => count === 0)
  })
  await service.close()
}

const names = Object.keys(rows[0]!)
console.log(`${payments} payments, seed ${seed}, ${concurrency} at a time\n`)
console.log(`| ${names.join(" | ")} |`)
console.log(`|${names.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`)
for (const row of rows) console.log(`| ${names.map((name) => row[name]).join(" | ")} |`)
