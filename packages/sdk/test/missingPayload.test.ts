/** What an answer without a payload means: for every kind of it, and everything that a contract may say of it. */
import { Amount, Outcome, RetryPolicy } from "@effect-custody/core"
import { FiatGateway, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Expected, holds } from "@effect-custody/core/siblings/Answer"
import { answered, layer, script } from "../../../test/support/clients/scriptedTransport.ts"

const body = { message: "Cancelled", data: null, status: 200 }

const kinds = {
  envelope: { status: 200, body, found: null },
  data: { status: 201, body: { data: null }, found: null },
  null: { status: 200, body: null, found: null },
  "no data": { status: 200, body: { message: "Cancelled" }, found: undefined },
  empty: { status: 200, body: undefined, found: undefined },
  "204": { status: 204, body: undefined, found: undefined }
} as const

const change: Expected = { isRead: false, needsPayload: false, isPlaceDeclared: false, isStatusNamed: false }

/** Which answers end an operation without a payload. All others are unreadable. */
const table: ReadonlyArray<readonly [of: string, expected: Expected, nothing: ReadonlyArray<keyof typeof kinds>]> = [
  ["a change", change, ["envelope"]],
  ["a change whose contract says the place", { ...change, isPlaceDeclared: true }, ["envelope", "data", "null"]],
  ["a change whose contract names the status", { ...change, isStatusNamed: true }, ["envelope", "204"]],
  [
    "a change that promises something",
    { ...change, needsPayload: true, isPlaceDeclared: true, isStatusNamed: true },
    []
  ],
  ["a read", { ...change, isRead: true }, []],
  [
    "a read whose contract says both",
    { ...change, isRead: true, isPlaceDeclared: true, isStatusNamed: true },
    ["envelope", "data", "null", "204"]
  ]
]

describe("an answer without a payload", () => {
  it.each(table)("an answer without a payload to %s is read by what its contract promises", (_, expected, nothing) => {
    for (const [kind, answer] of Object.entries(kinds)) {
      const right = (nothing as ReadonlyArray<string>).includes(kind) ? "Nothing" : "Unreadable"
      assert.strictEqual(holds(answer, expected), right, kind)
    }
    assert.strictEqual(holds({ status: 200, body: {}, found: {} }, expected), "Payload")
  })

  const calls: ReadonlyArray<readonly [status: number, body: unknown, isDone: boolean]> = [
    [200, body, true],
    [201, { data: null }, false],
    [200, "<html></html>", false],
    [204, "", false]
  ]
  it.effect.each(calls)("a cancellation is done with %i %j: %s", ([status, text, isDone]) =>
    Effect.gen(function* () {
      yield* script(answered(status, text))
      const outcome = yield* Effect.result(PaymentOrders.cancel({ orderId: "o-1" }))
      if (isDone) assert.deepStrictEqual<unknown>(outcome, Result.succeed({ extra: {} }))
      else assert.strictEqual(Result.isFailure(outcome) && outcome.failure._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("an answer without a payload never ends a send", () =>
    Effect.gen(function* () {
      yield* script(answered(201, body))
      const sent = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1") })
      assert.strictEqual((yield* Effect.flip(sent))._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a change of money that promises nothing in return", () => {
  const amount = Amount.of("1")
  const changes = [
    ["tokens.mint", Tokens.mint({ tokenId: "tok-1", amount })],
    ["tokens.burn", Tokens.burn({ tokenId: "tok-1", amount })],
    ["fiatGateway.refund", FiatGateway.refund({ transactionId: "t-1" })]
  ] as const
  const refusals: ReadonlyArray<object> = [
    { success: false, message: "Not allowed", data: {} },
    { status: false, message: "Insufficient balance", data: null },
    { message: "Insufficient balance", data: { code: "E40000", message: "Insufficient balance" } },
    { message: "OK", data: { success: false }, status: 200 }
  ]
  const successes: ReadonlyArray<object> = [
    { code: 201, message: "Requested", data: null },
    { message: "Requested", data: {}, status: 201, errors: {} },
    { status: "202", message: "Requested", data: null, error: "no" },
    { message: "Requested", data: { status: "FAILED" } }
  ]
  it.effect.each(changes)("%s is in doubt after a 200 with an error, and done after a 200 without", ([, of]) =>
    Effect.gen(function* () {
      for (const refusal of refusals) {
        yield* script(answered(200, refusal))
        const error = yield* Effect.flip(of)
        assert(error._tag === "OutcomeUnknown", JSON.stringify(refusal))
        yield* Outcome.resolved(error)
      }
      for (const success of successes) {
        yield* script(answered(200, success))
        assert.isTrue(Result.isSuccess(yield* Effect.result(of)), JSON.stringify(success))
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("an error in the answer to a read of token metadata is no empty metadata", () =>
    Effect.gen(function* () {
      yield* script(answered(200, { success: false, message: "Database is locked", data: {} }))
      const error = yield* Effect.flip(Tokens.metadata({ tokenId: "tok-1" }))
      const reason = "its envelope reports an error: success"
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", reason })
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
  )
})
