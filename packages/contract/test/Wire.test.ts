/** Code in a contract that throws, returns a promise, or returns an unsendable value. None of them is a defect. */
import { Wire, ServiceContract } from "@effect-custody/contract"
import { Amount, type CustodyClient } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { document, local, OwnApi, real, Reports, sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer } from "../../../test/support/clients/stubHttp.ts"

const create = Reports.create({ day: "x", title: "t" })
const upload = Reports.upload({ title: "t", document })
const list = Reports.list({ year: 2026 })

const params = { day: "x" }
const usual = { method: "POST", path: "/r/:day", request: () => ({ params, body: {} }), answer: () => ({ id: "r-1" }) }

/** Code without type checks, for tests of code that the types refuse. */
const codeContract = (operation: "reports.create" | "reports.upload" | "reports.list", code: object) =>
  ServiceContract.layer({ operations: { [operation]: Wire.code({ ...usual, ...code } as never) } }, OwnApi)

/** A change of money that promises nothing: an empty payload is a success. */
const mint = Tokens.mint({ tokenId: "t-1", amount: Amount.of("5") })
const mintContract = (code: object) => {
  const made = Wire.code({ ...usual, path: "/mint", request: () => ({}), ...code } as never)
  return ServiceContract.layer({ operations: { "tokens.mint": made } }, CustodyApi)
}

const rejecting = (): Promise<never> => Promise.reject(new Error("refused later"))
const throwing = (): never => {
  throw new Error("refused")
}

const requests: ReadonlyArray<readonly [what: string, request: () => unknown, message: string]> = [
  ["a BigInt", () => ({ params, body: { amount: { minor: 12500000n } } }), "BigInt"],
  ["NaN", () => ({ params, body: { amount: Number.NaN } }), "amount is NaN"],
  ["a function", () => ({ params, body: { a: () => 1 } }), "cannot be sent"],
  ["a promise in the body", () => ({ params, body: { a: rejecting() } }), "gave a promise"],
  ["a promise in the query", () => ({ params, query: { a: rejecting() } }), "gave a promise"],
  ["half a character in the query", () => ({ params, query: { a: ["b", "\ud800"] } }), "a cannot be sent"],
  ["a numeric path parameter", () => ({ params: { day: 5 } }), "day cannot be sent"],
  ["no path parameter", () => ({ body: {} }), "day cannot be sent"],
  ["a path parameter that leads upwards", () => ({ params: { day: ".." } }), "day cannot be sent"],
  ["a header of two lines", () => ({ params, headers: { "x-a": "a\nb" } }), "x-a cannot be sent"],
  ["nothing", () => undefined, "the code of the contract gave no request"],
  ["a promise", () => Promise.resolve({ params }), "gave a promise"],
  ["a promise that is rejected", rejecting, "gave a promise"],
  ["an exception", throwing, "refused"]
]

/** The error of a program, the number of its requests, and its unhandled rejections. */
const runFailure = Effect.fnUntraced(function* (
  program: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }, CustodyClient>,
  contract: ReturnType<typeof codeContract>,
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
  it.live.each(requests)("that is or has %s is refused, and nothing is sent", ([, request, message]) =>
    Effect.gen(function* () {
      for (const [program, contract] of [
        [create, codeContract("reports.create", { request })],
        [upload, codeContract("reports.upload", { request })]
      ] as const) {
        const { error, sent } = yield* runFailure(program, contract)
        assert.strictEqual(error._tag, "RequestInvalid")
        assert.include(error.message, message)
        assert.strictEqual(sent, 0)
      }
    })
  )

  it.live("is sent unchanged, without its undefined fields", () =>
    Effect.gen(function* () {
      const request = () => ({
        params,
        query: { n: 5, none: undefined, all: ["a", "b"] },
        headers: { "x-a": "é" },
        body: { none: undefined, date: new Date(0), one: { b: 1 } }
      })
      const { exit, sent } = yield* sentBy(create, { contract: codeContract("reports.create", { request }) })
      assert.strictEqual(exit._tag, "Success", String(exit))
      assert.strictEqual(sent[0]?.url, `${local.baseUrl}/r/x?n=5&all=a&all=b`)
      assert.strictEqual(sent[0]?.body, `{"date":"1970-01-01T00:00:00.000Z","one":{"b":1}}`)
    })
  )
})

const answers: ReadonlyArray<readonly [what: string, answer: () => unknown]> = [
  ["a promise", () => Promise.resolve({ id: "r-1" })],
  ["a promise that is rejected", rejecting],
  ["an exception", throwing],
  ["nothing", () => undefined]
]

describe("an answer in code", () => {
  it.live.each(answers)("that is %s leaves a change in doubt, and fails a read", ([, code]) =>
    Effect.gen(function* () {
      const cases = [
        ["OutcomeUnknown", create, codeContract("reports.create", { answer: code })],
        ["OutcomeUnknown", mint, mintContract({ answer: code })],
        // Code may send a read by POST.
        ["UnexpectedResponse", list, codeContract("reports.list", { path: "/r", answer: code })]
      ] as const
      for (const [tag, program, contract] of cases) {
        assert.strictEqual((yield* runFailure(program, contract)).error._tag, tag)
      }
    })
  )

  it.live("is never made from the specification's error body, or from a partial list", () =>
    Effect.gen(function* () {
      const errorBody = { status: 400, code: "E40000", message: "No", errors: { message: "No" } }
      const calls: Array<unknown> = []
      const code = { path: "/r", answer: () => void calls.push("called") }
      const cases = [
        ["OutcomeUnknown", mint, mintContract(code), 200, errorBody],
        ["UnexpectedResponse", list, codeContract("reports.list", code), 200, errorBody],
        ["UnexpectedResponse", list, codeContract("reports.list", code), 206, { rows: [] }]
      ] as const
      for (const [tag, program, contract, status, body] of cases) {
        const { error } = yield* runFailure(program, contract, () => answer(status, body))
        assert.strictEqual(error._tag, tag)
      }
      assert.deepStrictEqual(calls, [])
    })
  )

  it.live("decides on every other form of an error, and on a 204 that the contract lists", () =>
    Effect.gen(function* () {
      const rows = codeContract("reports.list", { path: "/r", answer: () => [], success: [206] })
      type Call = Effect.Effect<unknown, { readonly message: string }, CustodyClient>
      const cases: ReadonlyArray<readonly [Call, typeof rows, Response]> = [
        [mint, mintContract({ answer: () => null }), answer(200, { success: false, status: 400 })],
        [mint, mintContract({ answer: () => undefined, success: [204] }), new Response(null, { status: 204 })],
        [list, rows, answer(206, { rows: [] })]
      ]
      for (const [program, contract, response] of cases) {
        const { exit } = yield* sentBy(program, { environment: real, contract, respond: () => response })
        assert.strictEqual(exit._tag, "Success", String(exit))
      }
    })
  )
})

/** The answer to a creation is only the address of the new record. */
const createOrder = Wire.code({
  method: "POST",
  path: "/orders",
  request: ({ amount, note }: { readonly amount: string; readonly note?: string }) => ({
    body: { total: amount, note }
  }),
  answer: ({ headers }) => ({ id: headers?.["location"]?.split("/").at(-1) }),
  inverse: {
    input: ({ body: { note, total } }) => ({ amount: total, currency: "EUR", note }),
    answer: ({ id }) => ({ status: 201, headers: { location: `https://acme.custody.example/orders/${id}` } })
  }
})

it.effect.each(["rent", undefined])("code reads the id of a new record from a header, here with the note %s", (note) =>
  Effect.gen(function* () {
    const input = { amount: Amount.of("12"), currency: "EUR", ...(note === undefined ? {} : { note }) }
    const { id } = yield* PaymentOrders.create(input)
    assert.deepInclude(yield* PaymentOrders.get({ orderId: id }), input)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        CustodyEmulator.layer,
        ServiceContract.layer({ operations: { "paymentOrders.create": createOrder } }, CustodyApi)
      )
    )
  )
)

it.effect("code lists the filters that work", () => {
  const listed = Wire.code({
    method: "GET",
    path: "/transactions",
    proven: ["clientId", "from"],
    request: ({ order, sortKey }: { readonly order?: string; readonly sortKey?: string }) => ({
      query: { sort: sortKey === undefined ? undefined : `${sortKey},${order}` }
    }),
    answer: ({ body }) => body
  })
  return Effect.gen(function* () {
    const { wire } = yield* ServiceContract.ServiceContract
    assert.deepStrictEqual(wire(Transactions.list)?.proven, ["clientId", "from"])
  }).pipe(Effect.provide(ServiceContract.layer({ operations: { "transactions.list": listed } }, CustodyApi)))
})

it("the type of a wire in code refuses promises and effects", () => {
  const typed = { ...usual, method: "POST" } as const
  // @ts-expect-error -- an answer is not a promise.
  Wire.code({ ...typed, answer: async () => ({ id: "r-1" }) })
  // @ts-expect-error -- nor may it be one.
  Wire.code({ ...typed, answer: ({ status }) => (status === 200 ? { id: "r-1" } : rejecting()) })
  // @ts-expect-error -- nor an Effect.
  Wire.code({ ...typed, answer: () => Effect.fail("refused") })
  // @ts-expect-error -- a request is not a promise.
  Wire.code({ ...typed, request: async () => ({ params }) })
  // @ts-expect-error -- a path parameter is a text.
  Wire.code({ ...typed, request: () => ({ params: { day: 5 } }) })
  Wire.code({ ...typed, answer: ({ body }) => JSON.parse(String(body)) })
  Wire.code<{ readonly day: string }>({ ...typed, request: ({ day }) => ({ params: { day } }) })
})
