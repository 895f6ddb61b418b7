/** How large an error is, all its texts together, whatever the service answers and whatever the input is. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { Custody, Tokens, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** An error, its message and its stack take no more characters than this. */
const largest = 200_000

const client = (status: number, body: string) =>
  Custody.layer({
    environment: Environment.local("http://127.0.0.1:4010/api/integration"),
    apiKey: Redacted.make("one-time-api-key"),
    retry: RetryPolicy.none,
    diagnostics: "bodies"
  }).pipe(
    Layer.provide([
      TokenStore.layerMemory,
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.sync(() => {
            const headers = { "content-type": "application/json", "x-request-id": "r".repeat(100_000) }
            const granted = `{"data":{"accessToken":"access-token","refreshToken":"refresh-token","expiresAt":4102444800000},"status":201}`
            return HttpClientResponse.fromWeb(
              request,
              request.url.includes("/auth/")
                ? new Response(granted, { status: 201 })
                : new Response(body, { status, headers })
            )
          })
        )
      )
    ])
  )

const sizeOf = (call: Effect.Effect<unknown, unknown, CustodyClient>, status: number, body: string) =>
  call.pipe(
    Effect.flip,
    Effect.map((error) => JSON.stringify(error).length + `${(error as Error).message}${(error as Error).stack}`.length),
    Effect.provide(client(status, body))
  )

/** A call that reads, and one that writes. */
const calls: ReadonlyArray<Effect.Effect<unknown, unknown, CustodyClient>> = [
  Vaults.details(),
  Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1") })
]

const long = "x".repeat(2_000)
const listOf = (count: number, item: unknown): ReadonlyArray<unknown> => Array.from({ length: count }, () => item)
const record = (count: number, name: (nth: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [name(nth), value]))

const bodies: Readonly<Record<string, unknown>> = {
  "long messages in many fields": record(500, (nth) => `${nth}${long}`, [long]),
  "lists of lists of texts": record(64, String, listOf(64, listOf(64, "no no no"))),
  "lists of lists of nothing": record(64, String, listOf(64, listOf(64, {}))),
  "control characters": record(64, String, "\u0007".repeat(2_000)),
  "many ids": record(10_000, (nth) => `${long.slice(0, 80)}${nth}Id`, long.slice(0, 128))
}

describe("the size of an error is bounded as a whole", () => {
  for (const [what, errors] of Object.entries(bodies)) {
    it.effect(`of a refusal: ${what}`, () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ status: 422, message: long, errors, code: "E00402", more: errors })
        for (const status of [422, 400, 404, 500]) {
          for (const call of calls) assert.isAtMost(yield* sizeOf(call, status, body), largest)
        }
      })
    )

    it.effect(`of a success that cannot be read: ${what}`, () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ status: 201, message: long, data: errors })
        for (const call of calls) {
          const failing = Effect.andThen(call, Effect.fail({ message: "", stack: "" }))
          assert.isAtMost(yield* sizeOf(failing, 201, body), largest)
        }
      })
    )
  }

  it.effect("of an input that does not fit", () =>
    Effect.gen(function* () {
      const inputs: ReadonlyArray<object> = [
        record(10_000, (nth) => `${nth}${long}`, 1),
        { tokenId: "tok-1", metadata: { text: "x".repeat(5_000_000) } },
        { tokenId: "tok-1", metadata: { list: listOf(300_000, 1) } },
        { tokenId: listOf(10_000, long), metadata: 1 }
      ]
      for (const input of inputs) {
        assert.isAtMost(yield* sizeOf(Tokens.updateMetadata(input as never), 200, "{}"), largest)
      }
    })
  )
})
