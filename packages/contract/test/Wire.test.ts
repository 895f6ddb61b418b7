/** Code in a contract: what it refuses, what it drops nowhere, and that a mistake in it is no defect. */
import { ServiceContract, Wire } from "@effect-custody/contract"
import { Amount, type CustodyClient } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { document, local, OwnApi, real, Reports, sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer } from "../../../test/support/clients/stubHttp.ts"

const create = Reports.create({ day: "x", title: "t" })
const upload = Reports.upload({ title: "t", document })
const list = Reports.list({ year: 2026 })

const fields = {
  params: { at: Schema.Unknown },
  query: { n: Schema.optionalKey(Schema.Unknown) },
  headers: { "x-a": Schema.optionalKey(Schema.Unknown) },
  body: { name: Schema.optionalKey(Schema.Unknown), more: Schema.optionalKey(Schema.Unknown) }
}
const usual = { params: { at: "x" }, body: { name: "t" } }

/** Code without type checks, for tests of code that the types refuse. */
const makeContract = (operation: "create" | "upload" | "list", code: object) =>
  ServiceContract.layer(
    { operations: { [`reports.${operation}`]: Wire.make(Reports[operation], code as never) } },
    OwnApi
  )

const requestContract = (operation: "create" | "upload", write: () => unknown) =>
  makeContract(operation, {
    route: "POST /r/:at",
    request: {
      ...fields,
      write,
      read: ({ body }: any) => ({ title: body.name, ...(operation === "create" ? { day: "x" } : { document }) })
    }
  })

const rejecting = (): Promise<never> => Promise.reject(new Error("refused later"))
const throwing = (): never => {
  throw new Error("refused")
}

const requests: ReadonlyArray<readonly [what: string, write: () => unknown, message: string]> = [
  ["a BigInt", () => ({ ...usual, body: { name: 12500000n } }), ""],
  ["NaN", () => ({ ...usual, body: { name: Number.NaN } }), ""],
  ["a function", () => ({ ...usual, body: { name: () => 1 } }), ""],
  ["a promise in the body", () => ({ ...usual, body: { name: rejecting() } }), "gave a promise"],
  ["a promise in the query", () => ({ ...usual, query: { n: rejecting() } }), "gave a promise"],
  ["half a character in the query", () => ({ ...usual, query: { n: ["b", "\ud800"] } }), "n cannot be sent"],
  ["no path parameter", () => ({ body: { name: "t" } }), "at"],
  ["a path parameter that leads upwards", () => ({ ...usual, params: { at: ".." } }), "at cannot be sent"],
  ["a header of two lines", () => ({ ...usual, headers: { "x-a": "a\nb" } }), "x-a cannot be sent"],
  ["nothing", () => undefined, "the code of the contract gave no object"],
  ["a promise", () => Promise.resolve(usual), "gave a promise"],
  ["a promise that is rejected", rejecting, "gave a promise"],
  ["an exception", throwing, "refused"],
  ["a field that the service does not have", () => ({ ...usual, body: { nam: "t" } }), "nam"],
  ["another value", () => ({ ...usual, body: { name: "u" } }), "title: would not be sent as it is given"],
  ["no value", () => ({ params: { at: "x" } }), "title: Missing key"]
]

/** The error of a program, the number of its requests, and its unhandled rejections. */
const runFailure = Effect.fnUntraced(function* (
  program: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }, CustodyClient>,
  contract: ReturnType<typeof makeContract>,
  respond = () => answer(201, { message: "", data: { id: "r-1" }, status: 201 })
) {
  const unhandled: Array<unknown> = []
  const listener = (reason: unknown) => void unhandled.push(reason)
  process.on("unhandledRejection", listener)
  const { exit, sent } = yield* sentBy(Effect.flip(program), { environment: real, contract, respond })
  yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  process.off("unhandledRejection", listener)
  assert.deepStrictEqual(unhandled, [])
  assert(exit._tag === "Success", String(exit))
  return { error: exit.value, sent: sent.length }
})

describe("a request in code", () => {
  it.live.each(requests)("that is or has %s is refused, and nothing is sent", ([, write, message]) =>
    Effect.gen(function* () {
      for (const [program, operation] of [
        [create, "create"],
        [upload, "upload"]
      ] as const) {
        const { error, sent } = yield* runFailure(program, requestContract(operation, write))
        assert.strictEqual(error._tag, "RequestInvalid")
        assert.include(error.message, message)
        assert.strictEqual(sent, 0)
      }
    })
  )

  it.live("is sent unchanged, without its undefined fields", () =>
    Effect.gen(function* () {
      const write = () => ({
        params: { at: "a b" },
        query: { n: ["5", "6"] },
        headers: { "x-a": "é" },
        body: { name: "t", more: { none: undefined, one: [{ b: 1 }] } }
      })
      const { exit, sent } = yield* sentBy(create, { contract: requestContract("create", write) })
      assert.strictEqual(exit._tag, "Success", String(exit))
      assert.strictEqual(sent[0]?.url, `${local.baseUrl}/r/a%20b?n=5&n=6`)
      assert.strictEqual(sent[0]?.body, `{"name":"t","more":{"one":[{"b":1}]}}`)
    })
  )

  it.effect("sends an amount in minor units with all of its digits, and refuses one with more", () =>
    Effect.gen(function* () {
      const amounts = ["12345678901234567.123456", "0.000001", "1.5", "0.0000001"] as const
      const bodies: Array<unknown> = []
      for (const amount of amounts) {
        const { exit, sent } = yield* sentBy(
          Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of(amount), note: "n" }),
          {
            environment: real,
            contract: ServiceContract.layer({ operations: { "transactions.send": payout } }, CustodyApi)
          }
        )
        bodies.push(sent[0]?.body ?? String(exit))
      }
      assert.deepStrictEqual(bodies.slice(0, 3), [
        `{"destination":"0x1","asset":"usdc","units":12345678901234567123456,"memo":"n"}`,
        `{"destination":"0x1","asset":"usdc","units":1,"memo":"n"}`,
        `{"destination":"0x1","asset":"usdc","units":1500000,"memo":"n"}`
      ])
      assert.include(String(bodies[3]), "has more than 6 decimal places")
    })
  )

  it.effect("with a field that the service does not have is refused, if the call gives the field", () =>
    Effect.gen(function* () {
      const input = { clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1"), networkId: "ethereum" }
      const contract = ServiceContract.layer({ operations: { "transactions.send": payout } }, CustodyApi)
      const { error, sent } = yield* runFailure(Transactions.send(input), contract)
      assert.include(error.message, "networkId: is not sent under the contract: leave it out")
      assert.strictEqual(sent, 0)
    })
  )

  it.effect("widens a range of times to whole seconds, and moves no time in another direction", () =>
    Effect.gen(function* () {
      const from = DateTime.makeUnsafe("2026-01-01T00:00:00.250Z")
      const contract = ServiceContract.layer({ operations: { "transactions.list": history } }, CustodyApi)
      const respond = () => answer(200, { data: [] })
      const { sent } = yield* sentBy(Transactions.list({ from, to: from }), { environment: real, contract, respond })
      assert.match(sent[0]!.url, /since=1767225600&until=1767225601$/)
      const wrong = makeHistory(({ query: { since, until } }) => ({
        from: since,
        to: until && DateTime.subtract(until, { hours: 1 })
      }))
      const other = ServiceContract.layer({ operations: { "transactions.list": wrong } }, CustodyApi)
      const { error } = yield* runFailure(Transactions.list({ to: from }), other)
      assert.include(error.message, "to: would not be sent as it is given")
    })
  )

  it.effect("with a status for which the service has several words is refused, because it would hide the others", () =>
    Effect.gen(function* () {
      const contract = ServiceContract.layer({ operations: { "transactions.list": history } }, CustodyApi)
      const { error, sent } = yield* runFailure(Transactions.list({ status: "PENDING" }), contract)
      assert.include(
        error.message,
        "the service has several words for PENDING, and the request carries one: queued, signing"
      )
      assert.strictEqual(sent, 0)
      const respond = () => answer(200, { data: [{ ref: 1, state: "signing", asset: "usdc", units: 5 }] })
      const { exit } = yield* sentBy(Transactions.list({ status: "COMPLETED" }), {
        environment: real,
        contract,
        respond
      })
      assert(exit._tag === "Success", String(exit))
      const [row] = exit.value.items
      assert.deepInclude<object>(row!, { id: "1", status: "PENDING" })
      assert.strictEqual(Amount.format(row!.amount!), "0.000005")
    })
  )

  it.effect("sends all of the service's words for a value, if the service takes a list", () =>
    Effect.gen(function* () {
      const contract = ServiceContract.layer({ operations: { "transactions.list": listed } }, CustodyApi)
      const respond = () => answer(200, { data: [] })
      const call = Transactions.list({ status: "PENDING" })
      const { sent } = yield* sentBy(call, { environment: real, contract, respond })
      assert.match(sent[0]!.url, /\?state=queued&state=signing$/)
    })
  )
})

const payout = Wire.make(Transactions.send, {
  route: "POST /accounts/:account/payouts",
  request: {
    params: { account: Schema.String },
    body: {
      destination: Schema.String,
      asset: Schema.String,
      units: Wire.Minor(6),
      memo: Schema.optionalKey(Schema.String)
    },
    write: ({ amount, assetId, clientId, note, to }) => ({
      params: { account: clientId },
      body: { destination: to, asset: assetId, units: amount, memo: note }
    }),
    read: ({ body, params }) => ({
      clientId: params.account,
      to: body.destination,
      assetId: body.asset,
      amount: body.units,
      note: body.memo,
      networkId: undefined
    })
  }
})

const words = Wire.Words(Transactions.Status, {
  PENDING: ["queued", "signing"],
  BROADCASTING: "sent",
  COMPLETED: "done",
  REJECTED: [],
  ERROR: "failed"
})
const units = Wire.minorUnits({ usdc: 6, eth: 18 })

const range = { since: Schema.optionalKey(Wire.Seconds), until: Schema.optionalKey(Wire.Seconds) }
type Range = { readonly query: Schema.Struct.Type<typeof range> }

const makeHistory = (read: (theirs: Range) => Pick<Transactions.ListInput, "from" | "to">) =>
  Wire.make(Transactions.list, {
    route: "GET /history",
    request: {
      query: { ...range, state: Schema.optionalKey(words) },
      write: ({ from, status, to }) => ({ query: { since: from, until: to, state: status } }),
      read: (theirs) => ({ ...noFilters, status: theirs.query.state, ...read(theirs) })
    },
    answer: {
      record: Schema.Struct({ ref: Schema.Int, state: words, asset: Schema.String, units: units.schema }),
      read: (row) => ({
        id: String(row.ref),
        status: row.state,
        assetId: row.asset,
        amount: units.read(row.asset, row.units),
        ...unsaid
      }),
      write: ({ amount = Amount.of("0"), assetId = "usdc", id, status }) => ({
        ref: Number(id),
        state: status,
        asset: assetId,
        units: units.write(assetId, amount)
      })
    }
  })

const noFilters = {
  assetId: undefined,
  clientId: undefined,
  networkId: undefined,
  order: undefined,
  search: undefined,
  sortKey: undefined,
  type: undefined,
  from: undefined,
  to: undefined
}

const allWords: Readonly<Record<string, ReadonlyArray<string>>> = {
  PENDING: ["queued", "signing"],
  COMPLETED: ["done"]
}

/** The service takes a list of states. */
const listed = Wire.make(Transactions.list, {
  request: {
    query: { state: Schema.optionalKey(Schema.Array(Schema.String)) },
    write: ({ status }) => ({ query: { state: status && allWords[status] } }),
    read: ({ query: { state = [] } }) => ({
      ...noFilters,
      status: Transactions.Status.known.find((each) => allWords[each]?.includes(state[0] ?? ""))
    })
  }
})

const unsaid = {
  clientId: undefined,
  createdAt: undefined,
  fee: undefined,
  feeAssetId: undefined,
  from: undefined,
  hash: undefined,
  networkId: undefined,
  note: undefined,
  to: undefined,
  toClientId: undefined,
  type: undefined,
  updatedAt: undefined,
  walletId: undefined
}

const history = makeHistory(({ query: { since, until } }) => ({ from: since, to: until }))

const answers: ReadonlyArray<readonly [what: string, read: () => unknown]> = [
  ["a promise", () => Promise.resolve({ id: "r-1" })],
  ["a promise that is rejected", rejecting],
  ["an exception", throwing],
  ["nothing", () => undefined],
  ["another record", () => ({ total: "5" })]
]

describe("an answer in code", () => {
  it.live.each(answers)("that is %s leaves a change in doubt, and fails a read", ([, read]) =>
    Effect.gen(function* () {
      const code = { answer: { record: Schema.Unknown, read, write: () => ({}) } }
      const rows = () => answer(200, { data: [{ id: "r-1" }] })
      const { error } = yield* runFailure(create, makeContract("create", code))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      // Code may send a read by POST.
      const read2 = { ...code, route: "POST /r", request: { write: () => ({}), read: () => ({ year: 2026 }) } }
      assert.strictEqual((yield* runFailure(list, makeContract("list", read2), rows)).error._tag, "UnexpectedResponse")
    })
  )

  it.effect("with an asset whose decimal places the contract does not say is unreadable, never guessed", () =>
    Effect.gen(function* () {
      const contract = ServiceContract.layer({ operations: { "transactions.list": history } }, CustodyApi)
      const rows = [
        { ref: 1, state: "done", asset: "eth", units: "5" },
        { ref: 2, state: "done", asset: "doge", units: 5 }
      ]
      const { error } = yield* runFailure(Transactions.list(), contract, () => answer(200, { data: rows }))
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", reason: "data.1 does not match the contract" })
    })
  )

  it.live("is read under the contract's envelope, errors and statuses, like data", () =>
    Effect.gen(function* () {
      const errorBody = { status: 400, code: "E40000", message: "No", errors: { message: "No" } }
      const defaults = { payload: "result", items: "result.rows", errors: { when: { at: "ok", success: [true] } } }
      const mint = Wire.make(Tokens.mint, {
        answer: { record: Schema.Unknown, read: () => ({}) as never, write: () => ({}) }
      })
      const contract = ServiceContract.layer({ defaults, operations: { "tokens.mint": mint } }, CustodyApi)
      const call = Tokens.mint({ tokenId: "t-1", amount: Amount.of("5") })
      for (const body of [errorBody, { ok: false, result: {} }, { result: {} }]) {
        assert.strictEqual((yield* runFailure(call, contract, () => answer(200, body))).error._tag, "OutcomeUnknown")
      }
      const respond = () => answer(200, { ok: true, result: { job: 1 } })
      const { exit } = yield* sentBy(call, { environment: real, contract, respond })
      assert.strictEqual(exit._tag, "Success", String(exit))
    })
  )
})

it.effect("a request with an asset whose decimal places the contract does not say is refused, never guessed", () =>
  Effect.gen(function* () {
    const counted = Wire.make(Transactions.transfer, {
      request: {
        body: { between: Schema.Array(Schema.String), asset: Schema.String, value: units.schema },
        write: ({ amount, assetId, fromClientId, toClientId }) => ({
          body: { between: [fromClientId, toClientId], asset: assetId, value: units.write(assetId, amount) }
        }),
        read: ({ body: { asset, between, value } }) => ({
          fromClientId: between[0] ?? "",
          toClientId: between[1] ?? "",
          assetId: asset,
          amount: units.read(asset, value),
          note: undefined
        })
      }
    })
    const contract = ServiceContract.layer({ operations: { "transactions.transfer": counted } }, CustodyApi)
    const transfer = (assetId: string) =>
      Transactions.transfer({ fromClientId: "a", toClientId: "b", assetId, amount: Amount.of("1.5") })
    const { error, sent } = yield* runFailure(transfer("doge"), contract)
    assert.include(error.message, "the contract has no decimal places for the asset doge")
    assert.strictEqual(sent, 0)
    const { sent: known } = yield* sentBy(transfer("eth"), { environment: real, contract })
    assert.strictEqual(known[0]?.body, `{"between":["a","b"],"asset":"eth","value":1500000000000000000}`)
  })
)

it.effect("the emulator reads a request with the code, and refuses what the code refuses", () =>
  Effect.gen(function* () {
    const { received } = yield* CustodyEmulator
    const error = yield* Effect.flip(
      Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1.5") })
    )
    assert.strictEqual(error._tag, "NotFound")
    assert.deepInclude((yield* received).at(-1), { operation: "transactions.send" })
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        CustodyEmulator.layer,
        ServiceContract.layer({ operations: { "transactions.send": payout } }, CustodyApi)
      )
    )
  )
)

it("the types of code refuse mistakes", () => {
  const request = { body: { to: Schema.String, amount: Wire.Minor(6) } }
  const record = Schema.Struct({ id: Schema.String })
  const whole = { clientId: "a", assetId: "a", to: "a", amount: Amount.of("1"), networkId: undefined, note: undefined }
  const read = () => whole
  const write = () => ({ body: { to: "a", amount: Amount.of("1") } })
  const { note: _, ...forgotten } = whole
  Wire.make(Transactions.send, { request: { ...request, read, write: ({ amount, to }) => ({ body: { amount, to } }) } })
  // @ts-expect-error -- the input has no `recipient`.
  Wire.make(Transactions.send, { request: { ...request, read, write: ({ recipient: to }) => ({ body: { to } }) } })
  // @ts-expect-error -- an amount is no address.
  Wire.make(Transactions.send, { request: { ...request, read, write: ({ amount: to }) => ({ body: { to } }) } })
  // @ts-expect-error -- an address is no amount.
  Wire.make(Transactions.send, { request: { ...request, read, write: ({ to: amount }) => ({ body: { amount } }) } })
  // @ts-expect-error -- the service needs an amount.
  Wire.make(Transactions.send, { request: { ...request, read, write: ({ to }) => ({ body: { to } }) } })
  // @ts-expect-error -- `read` forgets the note, which would be dropped.
  Wire.make(Transactions.send, { request: { ...request, write, read: () => forgotten } })
  // @ts-expect-error -- a request is no promise.
  Wire.make(Transactions.send, { request: { ...request, read, write: async () => write() } })
  // @ts-expect-error -- a record has fields.
  Wire.make(PaymentOrders.cancel, { answer: { record, read: () => "cancelled", write: () => ({ id: "a" }) } })
  // @ts-expect-error -- a record has a status.
  Wire.make(Transactions.status, { answer: { record, read: ({ id }) => ({ id }), write: () => ({ id: "a" }) } })
  // @ts-expect-error -- the words of an enumeration are complete.
  assert.throws(() => Wire.Words(Transactions.Status, { PENDING: "queued" }), "BROADCASTING")
})
