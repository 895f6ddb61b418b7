/** Adapters of the endpoints for tokens: the one-time secrets that they send are not to be seen anywhere. */
import { Adapter } from "@effect-custody/contract"
import { TokenStore } from "@effect-custody/authentication"
import { RetryPolicy } from "@effect-custody/core"
import { Authentication, Custody, Vaults } from "@effect-custody/sdk"
import { WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { detector } from "../../../../test/secrets/detector.ts"
import { kinds } from "../../../../test/secrets/secrets.ts"
import { local } from "../../../../test/support/clients/reportsApi.ts"
import { answer, stubHttp } from "../../../../test/support/clients/stubHttp.ts"
import { everythingSeen, printed } from "../../../../test/support/worlds/observed.ts"

const [key, access, refresh, nextAccess, nextRefresh] = [1, 2, 3, 4, 5].map((seed) => kinds["plain"]!(40, seed))

type Request = (secret: string) => HttpClientRequest.HttpClientRequest

const post = HttpClientRequest.post("/login")
const json: Request = (secret) => post.pipe(HttpClientRequest.bodyJsonUnsafe({ login: { secret } }))

const Pair = Schema.Struct({ token: Schema.String, next: Schema.String })
const record = ({ next, token }: typeof Pair.Type) => ({
  accessToken: Redacted.make(token),
  refreshToken: Redacted.make(next),
  expiresAt: undefined
})

const contract = (request: Request) =>
  Adapter.layer(
    [
      Adapter.make(Authentication.generateTokens, {
        request: ({ apiKey }) => request(Redacted.value(apiKey)),
        answer: Pair,
        read: (pair) => ({ ...record(pair), vaultId: undefined })
      }),
      Adapter.make(Authentication.refreshToken, {
        request: ({ refreshToken }) => request(Redacted.value(refreshToken)),
        answer: Pair,
        read: record
      }),
      Adapter.assumed(Vaults.details)
    ],
    { payload: (body) => body.result }
  )

const find = detector([key!, access!, refresh!, nextAccess!, nextRefresh!])

/** Starts a session, refreshes it, and makes a call. Returns the requests for tokens, and everything else that is seen. */
const seenOf = (request: Request, breaks = false) =>
  Effect.gen(function* () {
    const sinks: Array<unknown> = []
    let starts = 0
    const stub = stubHttp(({ headers, url }) => {
      if (url.includes("/login")) {
        if (breaks) return Effect.succeed(answer(500, { problem: `no: ${key}` }))
        const [token, next] = starts++ === 0 ? [access, refresh] : [nextAccess, nextRefresh]
        return Effect.succeed(answer(201, { result: { token, next } }))
      }
      return Effect.succeed(
        headers["x-access-token"] === access
          ? answer(498, { status: 498, message: "Token expired", code: "E40003" })
          : answer(200, { result: { id: "v-1" } })
      )
    })
    const keep = (value: unknown) =>
      Effect.andThen(
        Effect.logDebug("sent", value),
        Effect.sync(() => void sinks.push(printed(value)))
      )
    const logged = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (http) =>
        HttpClient.transform(http, (exchange, sent) => Effect.andThen(keep(sent), exchange)).pipe(
          HttpClient.tapRequest(keep),
          HttpClient.tap((response) => keep(response.request))
        )
      )
    )
    const client = Custody.layer({
      environment: local,
      retry: RetryPolicy.none,
      diagnostics: "bodies",
      apiKey: Redacted.make(key!)
    })
    const called = Effect.gen(function* () {
      const log = yield* WireLog
      const exit = yield* Effect.exit(
        Effect.provide(
          Vaults.details(),
          Layer.fresh(Layer.provide(client, [TokenStore.layerMemory, contract(request)]))
        )
      )
      sinks.push(printed(yield* log.entries), yield* log.transcript)
      return yield* exit
    }).pipe(Effect.provide(WireLog.layer.pipe(Layer.provide(logged), Layer.provide(stub.layer))))
    const { exit, text } = yield* everythingSeen(Effect.withSpan(called, "program"))
    const sent = stub.sent.filter(({ url }) => url.includes("/login"))
    return { exit, sent, leak: find([text, ...sinks].join("\n")), text }
  })

const kept: ReadonlyArray<readonly [place: string, request: Request, carries: (sent: string | undefined) => string]> = [
  ["a body of JSON", json, (secret) => `{"login":{"secret":"${secret}"}}`],
  ["a form", (secret) => post.pipe(HttpClientRequest.bodyUrlParams({ secret })), (secret) => `secret=${secret}`],
  ["the header x-api-key", (secret) => HttpClientRequest.setHeader(post, "X-Api-Key", secret), () => ""],
  ["the header authorization", (secret) => HttpClientRequest.bearerToken(post, secret), () => ""]
]

const refused: ReadonlyArray<readonly [place: string, request: Request]> = [
  ["the address", (secret) => HttpClientRequest.post(`/login/${secret}`)],
  ["the query", (secret) => HttpClientRequest.setUrlParam(post, "key", secret)],
  ["another header", (secret) => HttpClientRequest.setHeader(post, "x-login", secret)],
  ["a form of files", (secret) => post.pipe(Adapter.multipart({ secret }))],
  [
    "what a function throws",
    (secret) => {
      throw new Error(`cannot send ${secret}`)
    }
  ]
]

describe("the one-time secrets that an adapter sends", () => {
  it.live.each(kept)("in %s are sent, and are seen nowhere", ([, request, body]) =>
    Effect.gen(function* () {
      const { exit, leak, sent } = yield* seenOf(request)
      assert.strictEqual(exit._tag, "Success", String(exit))
      assert.deepStrictEqual(
        sent.map((one) => one.body),
        [body(key), body(refresh)]
      )
      if (body("") === "") assert.isTrue(sent.every(({ headers }) => headers["x-api-key"] ?? headers["authorization"]))
      assert.isUndefined(leak)
    })
  )

  it.live.each(kept)("in %s are not seen in an error that repeats them either", ([, request]) =>
    Effect.gen(function* () {
      const { exit, leak } = yield* seenOf(request, true)
      assert.strictEqual(exit._tag, "Failure")
      assert.isUndefined(leak)
    })
  )

  it.live.each(refused)("in %s are neither sent nor seen", ([, request]) =>
    Effect.gen(function* () {
      const { exit, leak, sent } = yield* seenOf(request)
      assert.strictEqual(exit._tag, "Failure")
      assert.deepStrictEqual(sent, [])
      assert.isUndefined(leak)
    })
  )
})
