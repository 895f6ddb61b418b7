/** The size of an error, all its texts together, is bounded for any answer of the service and any input. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { Custody, Tokens, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { answer, stubHttp } from "../../../test/support/clients/stubHttp.ts"

/** The maximum number of characters in an error, its message and its stack. */
const maxSize = 200_000

const client = (status: number, body: string) =>
  Custody.layer({
    environment: Environment.emulator("http://127.0.0.1:4010/api/integration"),
    apiKey: Redacted.make("one-time-api-key"),
    retry: RetryPolicy.none,
    diagnostics: "bodies"
  }).pipe(
    Layer.provide([
      TokenStore.layerMemory,
      stubHttp(({ url }) =>
        Effect.sync(() =>
          url.includes("/auth/")
            ? answer(201, { data: { accessToken: "access-token", refreshToken: "refresh-token" }, status: 201 })
            : new Response(body, { status, headers: { "x-request-id": "r".repeat(100_000) } })
        )
      ).layer
    ])
  )

const errorSize = (call: Effect.Effect<unknown, unknown, CustodyClient>, status: number, body: string) =>
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
const makeList = (count: number, item: unknown): ReadonlyArray<unknown> => Array.from({ length: count }, () => item)
const record = (count: number, name: (nth: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [name(nth), value]))

const bodies: Readonly<Record<string, unknown>> = {
  "long messages in many fields": record(500, (nth) => `${nth}${long}`, [long]),
  "lists of lists of texts": record(64, String, makeList(64, makeList(64, "no no no"))),
  "lists of lists of nothing": record(64, String, makeList(64, makeList(64, {}))),
  "control characters": record(64, String, "\u0007".repeat(2_000)),
  "many ids": record(10_000, (nth) => `${long.slice(0, 80)}${nth}Id`, long.slice(0, 128))
}

describe("the size of an error is bounded as a whole", () => {
  it.effect.each(Object.entries(bodies))(
    "the error of a refusal, and of an unreadable success, is bounded: %s",
    ([, errors]) =>
      Effect.gen(function* () {
        const refusal = JSON.stringify({ status: 422, message: long, errors, code: "E00402", more: errors })
        for (const call of calls) {
          for (const status of [422, 400, 404, 500]) assert.isAtMost(yield* errorSize(call, status, refusal), maxSize)
          const success = JSON.stringify({ status: 201, message: long, data: errors })
          const failing = Effect.andThen(call, Effect.fail({ message: "", stack: "" }))
          assert.isAtMost(yield* errorSize(failing, 201, success), maxSize)
        }
      })
  )

  it.effect("the error of an invalid input is bounded", () =>
    Effect.gen(function* () {
      const inputs: ReadonlyArray<object> = [
        record(10_000, (nth) => `${nth}${long}`, 1),
        { tokenId: "tok-1", metadata: { list: makeList(300_000, 1) } },
        { tokenId: makeList(10_000, long), metadata: 1 }
      ]
      for (const input of inputs) {
        assert.isAtMost(yield* errorSize(Tokens.updateMetadata(input as never), 200, "{}"), maxSize)
      }
    })
  )
})
