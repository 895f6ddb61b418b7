/** What an answer without a payload means: for every kind of it, and everything that a contract may say of it. */
import { Amount, RetryPolicy, Wire, WireContract } from "@effect-custody/core"
import { CustodyApi, FiatGateway, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { type Expected, meaning } from "../../../packages/core/src/internal/missingPayload.ts"
import { answered, layer, script } from "../../support/clients/scripted.ts"

const body = { message: "Cancelled", data: null, status: 200 }

/** `message` and `status`: those of the service's envelope. */
const kinds = {
  "a payload": { status: 200, body: { data: {} }, found: {} },
  "a bare body": { status: 200, body: {}, found: {} },
  "data: null in an envelope": { status: 200, body, found: null },
  "data: null alone": { status: 201, body: { data: null }, found: null },
  "null alone": { status: 200, body: null, found: null },
  "an envelope without data": { status: 200, body: { message: "Cancelled" }, found: undefined },
  "an empty body, or no JSON": { status: 200, body: undefined, found: undefined },
  "a 204": { status: 204, body: undefined, found: undefined }
} as const
type Kind = keyof typeof kinds

const change: Expected = { isRead: false, needsPayload: false, isPlaceSaid: false, isStatusNamed: false }
const always: ReadonlyArray<Kind> = ["a payload", "a bare body"]

/** Which answers end an operation, and which of them without a payload. All others are unreadable. */
const table: ReadonlyArray<readonly [of: string, expected: Expected, nothing: ReadonlyArray<Kind>]> = [
  ["a change", change, ["data: null in an envelope"]],
  [
    "a change whose contract says where the payload stands",
    { ...change, isPlaceSaid: true },
    ["data: null in an envelope", "data: null alone", "null alone"]
  ],
  [
    "a change whose contract names the status",
    { ...change, isStatusNamed: true },
    ["data: null in an envelope", "a 204"]
  ],
  ["a change that promises something", { ...change, needsPayload: true, isPlaceSaid: true, isStatusNamed: true }, []],
  ["a read", { ...change, isRead: true }, []],
  [
    "a read whose contract says both",
    { ...change, isRead: true, isPlaceSaid: true, isStatusNamed: true },
    ["data: null in an envelope", "data: null alone", "null alone", "a 204"]
  ]
]

describe("an answer without a payload", () => {
  it.each(table)("to %s", (_, expected, nothing) => {
    for (const [kind, answer] of Object.entries(kinds)) {
      const right = always.includes(kind as Kind)
        ? "Payload"
        : nothing.includes(kind as Kind)
          ? "Nothing"
          : "Unreadable"
      assert.strictEqual(meaning(answer, expected), right, kind)
    }
  })

  const silent = Wire.code({
    method: "POST",
    path: "/orders",
    success: [200, 204],
    request: () => ({}),
    answer: ({ body }) => body
  })
  const empty = Result.succeed({ extra: {} })
  const calls: ReadonlyArray<readonly [contract: object, status: number, body: unknown, isDone: boolean]> = [
    [{}, 200, body, true],
    [{}, 201, { data: null }, false],
    [{ payload: "data" }, 201, { data: null }, true],
    [{ payload: null }, 200, null, true],
    [{ payload: null }, 200, "", false],
    [{}, 204, "", false],
    [{ success: [204] }, 204, "", true],
    [{ payload: "result" }, 200, { result: null }, true],
    [{ payload: "result" }, 200, body, false],
    [silent, 204, "", true],
    [silent, 200, null, true],
    [silent, 200, "", false]
  ]
  it.effect.each(calls)("a cancellation under %j is done with %i %j: %s", ([entry, status, text, isDone]) =>
    Effect.gen(function* () {
      yield* script(answered(status, text))
      const outcome = yield* Effect.result(PaymentOrders.cancel({ orderId: "o-1" }))
      if (isDone) assert.deepStrictEqual<unknown>(outcome, empty)
      else assert.strictEqual(Result.isFailure(outcome) && outcome.failure._tag, "OutcomeUnknown")
    }).pipe(
      Effect.provide(
        Layer.mergeAll(layer(), WireContract.layer({ operations: { "paymentOrders.cancel": entry } }, CustodyApi))
      )
    )
  )

  it.effect("never ends a send, whatever the contract says", () =>
    Effect.gen(function* () {
      for (const [status, text] of [
        [201, { data: null }],
        [201, body]
      ] as const) {
        yield* script(answered(status, text))
        const sent = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1") })
        assert.strictEqual((yield* Effect.flip(sent))._tag, "OutcomeUnknown")
      }
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          layer(),
          WireContract.layer({ operations: { "transactions.send": { payload: "data" } } }, CustodyApi)
        )
      )
    )
  )
})

describe("a change of money that promises nothing in return", () => {
  const tokenId = "tok-1"
  const amount = Amount.of("1")
  const changes = [
    ["tokens.mint", Tokens.mint({ tokenId, amount })],
    ["tokens.burn", Tokens.burn({ tokenId, amount })],
    ["fiatGateway.refund", FiatGateway.refund({ transactionId: "t-1" })]
  ] as const
  const refusals: ReadonlyArray<object> = [
    { success: false, message: "Insufficient balance", data: null },
    { success: false, message: "Not allowed", data: {} },
    { status: "error", message: "Not allowed", data: null },
    { status: 201, error: "not eligible", message: "x", data: null },
    { message: "Unprocessable", errors: { amount: ["too big"] }, data: null },
    { status: false, message: "Insufficient balance", data: null },
    { isSuccess: false, message: "Insufficient balance", data: {} },
    { message: "Insufficient balance", data: { code: "E40000", message: "Insufficient balance" } },
    { message: "OK", data: { error: "too big" }, status: 200 },
    { status: "BAD_REQUEST", message: "Refund window has expired", data: null },
    { status: { code: 500, message: "timeout" }, data: null, message: "x" }
  ]
  it.effect.each(changes)("%s is in doubt after a 200 that says an error", ([, change]) =>
    Effect.gen(function* () {
      for (const refusal of refusals) {
        yield* script(answered(200, refusal))
        assert.strictEqual((yield* Effect.flip(change))._tag, "OutcomeUnknown", JSON.stringify(refusal))
      }
    }).pipe(Effect.provide(layer()))
  )

  const successes: ReadonlyArray<readonly [status: number, body: object]> = [
    [201, { code: 201, message: "Requested", data: null }],
    [201, { message: "Requested", data: {}, status: 201, errors: {} }],
    [200, { message: "Requested", data: null, error: false, errorCode: 0 }],
    [200, { status: "success", message: "Requested", data: null }],
    [200, { status: true, message: "Requested", data: null }],
    [200, { message: "Requested", data: { status: "CANCELLED" } }],
    [200, { message: "Requested", data: { status: "FAILED" } }],
    [200, { message: "Requested", data: { status: "PENDING" } }]
  ]
  it.effect.each(changes)("%s is done after a success that speaks of errors and has none", ([, change]) =>
    Effect.gen(function* () {
      for (const [status, success] of successes) {
        yield* script(answered(status, success))
        const outcome = yield* Effect.result(change)
        assert.isTrue(Result.isSuccess(outcome), JSON.stringify([success, outcome]))
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the metadata of a token is not empty because the service could not read it", () =>
    Effect.gen(function* () {
      yield* script(answered(200, { success: false, message: "Database is locked", data: {} }))
      const error = yield* Effect.flip(Tokens.metadata({ tokenId }))
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        reason: "its envelope reports an error: success"
      })
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.none })))
  )

  it.effect.each(changes)("%s is done by a 204 that its contract lists, and by no other", ([name, change]) =>
    Effect.gen(function* () {
      const outcomeUnder = (entry: object) =>
        Effect.result(change).pipe(
          Effect.provide(
            WireContract.layer(
              { operations: { [name]: entry } } as WireContract.ContractOf<typeof CustodyApi>,
              CustodyApi
            )
          )
        )
      yield* script(answered(204, ""))
      assert.deepStrictEqual<unknown>(yield* outcomeUnder({ success: [201, 204] }), Result.succeed({ extra: {} }))
      for (const entry of [{}, { success: [201] }, { payload: null }]) {
        const outcome = yield* outcomeUnder(entry)
        assert.strictEqual(Result.isFailure(outcome) && outcome.failure._tag, "OutcomeUnknown")
      }
    }).pipe(Effect.provide(layer()))
  )
})
