/** Contracts in code that do what code can: throw, be asynchronous, return what cannot be sent. None is a defect. */
import { Amount, type CustodyClient, Wire, WireContract } from "@effect-custody/core"
import { CustodyApi, Tokens } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { document, local, OwnApi, real, Reports, sentBy } from "../../support/clients/reports.ts"
import { answer } from "../../support/clients/stubHttp.ts"

const create = Reports.create({ day: "x", title: "t" })
const upload = Reports.upload({ title: "t", document })

const route = { method: "POST", path: "/r/:day" } as const
const usual = { ...route, request: () => ({ params: { day: "x" }, body: {} }), answer: () => ({ id: "r-1" }) }

/** Code, past the types where a test is about what they refuse. */
const codeOf = (code: object) => Wire.code({ ...usual, ...code } as Wire.CodeOptions<unknown>)

const contractOf = (operation: "reports.create" | "reports.upload" | "reports.list", code: object) =>
  WireContract.layer({ operations: { [operation]: codeOf(code) } }, OwnApi)

/** A change of money that promises nothing: an empty payload is a success. */
const mint = Tokens.mint({ tokenId: "t-1", amount: Amount.of("5") })
const mintOf = (code: object) =>
  WireContract.layer(
    { operations: { "tokens.mint": codeOf({ path: "/mint", request: () => ({}), ...code }) } },
    CustodyApi
  )

const circular: { self?: unknown } = {}
circular.self = { again: circular }

const unreadableError = (): never => {
  throw Object.defineProperty(new Error(), "message", { get: () => assert.fail("of the message") })
}
const textlessError = (): never => {
  throw Object.assign(new Error(), { message: { text: "refused" } })
}

const rejecting = () => Promise.reject(new Error("refused later"))

const params = { day: "x" }
const requests: ReadonlyArray<readonly [what: string, request: () => unknown, message: string]> = [
  [
    "a BigInt",
    () => ({ params, body: { amount: { minor: 12500000n } } }),
    "body.amount.minor: is a BigInt, which JSON does not have: give a number or a text"
  ],
  ["a BigInt in a list", () => ({ params, body: [1, 2n] }), "body.1: is a BigInt"],
  ["NaN", () => ({ params, body: { amount: Number.NaN } }), "body.amount: is NaN"],
  ["a function", () => ({ params, body: () => 1 }), "body: is a function"],
  ["a symbol", () => ({ params, body: { a: Symbol("x") } }), "body.a: is a symbol"],
  ["a circular body", () => ({ params, body: circular }), "body: cannot be written as JSON: Converting circular"],
  ["a promise in the body", () => ({ params, body: { a: rejecting() } }), "body.a: is a promise"],
  ["a promise in the query", () => ({ params, query: { a: rejecting() } }), "a: is a promise"],
  ["half a character in the query", () => ({ params, query: { a: ["b", "\ud800"] } }), "a: has half a character"],
  ["a numeric path parameter", () => ({ params: { day: 5 } }), "day: must be a text that is a segment of the path"],
  ["no path parameter", () => ({ body: {} }), "day: must be a text that is a segment of the path"],
  ["a path parameter that leads upwards", () => ({ params: { day: ".." } }), "day: cannot be a segment of a path"],
  ["no object of parameters", () => ({ params: null }), "params: must be an object"],
  ["a numeric header", () => ({ params, headers: { "x-a": 5 } }), "x-a: must be a text"],
  ["a header of two lines", () => ({ params, headers: { "x-a": "a\nb" } }), "x-a: cannot be sent in a header"],
  ["nothing", () => undefined, "the code of the contract returned no request"],
  ["an Effect", () => Effect.succeed({ params }), "the code of the contract returned no request"],
  ["a promise", () => Promise.resolve({ params }), "the code of the contract returned a promise"],
  ["a promise that is rejected", rejecting, "the code of the contract returned a promise"],
  [
    "a getter that throws",
    () => ({
      get body() {
        throw new Error("no body")
      }
    }),
    "no body"
  ],
  ["an Error whose message cannot be read", unreadableError, "the code of the contract failed"],
  ["an Error whose message is no text", textlessError, "the code of the contract failed"]
]

/** What a program fails with, how many requests it sent, and the rejections that nobody handled. */
const failureOf = Effect.fnUntraced(function* (
  program: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }, CustodyClient>,
  contract: ReturnType<typeof contractOf>,
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
      const { error, sent } = yield* failureOf(create, contractOf("reports.create", { request }))
      assert.strictEqual(error._tag, "RequestInvalid")
      assert.include(error.message, `reports.create was not sent: ${message}`)
      assert.strictEqual(sent, 0)
    })
  )

  it.live("of multipart/form-data has no BigInt either", () =>
    Effect.gen(function* () {
      const request = () => ({ params, body: { lines: [{ amount: 1n }] } })
      const { error, sent } = yield* failureOf(upload, contractOf("reports.upload", { request }))
      assert.include(error.message, "reports.upload was not sent: lines.0.amount: is a BigInt")
      assert.strictEqual(sent, 0)
    })
  )

  it.live("is sent as it is, without what is undefined", () =>
    Effect.gen(function* () {
      const shared = { b: 1 }
      const request = () => ({
        params,
        query: { n: 5n, none: undefined, all: ["a", "b"] },
        headers: { "x-a": "é" },
        body: { none: undefined, date: new Date(0), one: shared, two: [shared] }
      })
      const { exit, sent } = yield* sentBy(create, { contract: contractOf("reports.create", { request }) })
      assert.strictEqual(exit._tag, "Success", String(exit))
      assert.strictEqual(sent[0]?.url, `${local.baseUrl}/r/x?n=5&all=a&all=b`)
      assert.strictEqual(sent[0]?.body, `{"date":"1970-01-01T00:00:00.000Z","one":{"b":1},"two":[{"b":1}]}`)
    })
  )
})

// oxlint-disable-next-line unicorn/no-thenable -- the code of a user may return one.
const thenable = (then: () => void) => ({ then })

const getter = () => ({
  get id() {
    throw new Error("no id")
  }
})
const answers: ReadonlyArray<readonly [what: string, answer: () => unknown]> = [
  ["a promise", () => Promise.resolve({ id: "r-1" })],
  ["a promise that is rejected", rejecting],
  ["a thenable", () => thenable(() => {})],
  ["a thenable that throws", () => thenable(() => assert.fail("now"))],
  ["a promise in a field", () => ({ id: "r-1", total: rejecting() })],
  ["an Effect", () => Effect.fail("refused")],
  ["a Result", () => Result.fail("refused")],
  ["a function", () => () => ({ id: "r-1" })],
  ["an exception", () => assert.fail("refused")],
  ["a getter that throws", getter],
  ["an Error whose message cannot be read", unreadableError],
  ["an Error whose message is no text", textlessError]
]

describe("an answer in code that is", () => {
  it.live.each(answers)("%s leaves a change in doubt, and a read unread", ([, code]) =>
    Effect.gen(function* () {
      const list = Reports.list({ year: 2026 })
      const post = { method: "POST", readOnly: true, path: "/r", answer: code }
      const cases = [
        ["OutcomeUnknown", create, contractOf("reports.create", { answer: code })],
        ["OutcomeUnknown", mint, mintOf({ answer: code })],
        ["UnexpectedResponse", list, contractOf("reports.list", post)]
      ] as const
      for (const [tag, program, contract] of cases) {
        assert.strictEqual((yield* failureOf(program, contract)).error._tag, tag)
      }
    })
  )

  it.live("a rejected promise leaves a change in doubt after a 204 that is listed, too", () =>
    Effect.gen(function* () {
      const bare = () => new Response(null, { status: 204 })
      const { error } = yield* failureOf(mint, mintOf({ success: [204], answer: rejecting }), bare)
      assert.strictEqual(error._tag, "OutcomeUnknown")
      const contract = mintOf({ success: [204], answer: () => undefined })
      const { exit } = yield* sentBy(mint, { environment: real, contract, respond: bare })
      assert.strictEqual(exit._tag, "Success", String(exit))
    })
  )
})

describe("an answer that certainly is no success", () => {
  const errorBody = { status: 400, code: "E40000", message: "No", errors: { message: "No" } }
  const ofList = (code: object) => contractOf("reports.list", { method: "GET", path: "/r", answer: () => [], ...code })
  const list = Reports.list({ year: 2026 })

  it.live("is not shown to the code: the specification's error body, or a part of a list", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const code = { answer: () => void asked.push("asked") }
      const cases = [
        ["OutcomeUnknown", create, contractOf("reports.create", code), 200, errorBody],
        ["OutcomeUnknown", mint, mintOf(code), 200, errorBody],
        ["UnexpectedResponse", list, ofList(code), 200, errorBody],
        ["UnexpectedResponse", list, ofList(code), 206, { rows: [] }]
      ] as const
      for (const [tag, program, contract, status, body] of cases) {
        const { error } = yield* failureOf(program, contract, () => answer(status, body))
        assert.strictEqual(error._tag, tag)
      }
      assert.deepStrictEqual(asked, [])
    })
  )

  it.live("may be one for the code in every other form", () =>
    Effect.gen(function* () {
      const succeeds = Effect.fnUntraced(function* (
        program: Effect.Effect<unknown, { readonly message: string }, CustodyClient>,
        contract: ReturnType<typeof contractOf>,
        respond: () => Response
      ) {
        const { exit } = yield* sentBy(program, { environment: real, contract, respond })
        assert.strictEqual(exit._tag, "Success", String(exit))
      })
      yield* succeeds(mint, mintOf({ answer: () => null }), () => answer(200, { success: false, status: 400 }))
      yield* succeeds(list, ofList({}), () => answer(200, { success: false, code: "E40000" }))
      yield* succeeds(list, ofList({ success: [206] }), () => answer(206, { rows: [] }))
    })
  )
})

it("the type of a wire in code refuses promises and effects", () => {
  // @ts-expect-error -- an answer is not a promise.
  Wire.code({ ...usual, answer: async () => ({ id: "r-1" }) })
  // @ts-expect-error -- nor may it be one.
  Wire.code({ ...usual, answer: ({ status }) => (status === 200 ? { id: "r-1" } : rejecting()) })
  // @ts-expect-error -- nor an Effect.
  Wire.code({ ...usual, answer: () => Effect.fail("refused") })
  // @ts-expect-error -- a request is not a promise.
  Wire.code({ ...usual, request: async () => ({ params }) })
  // @ts-expect-error -- a path parameter is a text.
  Wire.code({ ...usual, request: () => ({ params: { day: 5 } }) })
  Wire.code({ ...usual, answer: ({ body }) => body })
  Wire.code({ ...usual, answer: ({ body }) => JSON.parse(String(body)) })
  Wire.code({ ...usual, answer: ({ status }) => (status === 200 ? { id: "r-1" } : undefined) })
  Wire.code<{ readonly day: string }>({ ...usual, request: ({ day }) => ({ params: { day } }) })
})
