/**
 * What counts as an error that is sent with the status of a success, and what does not: one table of forms, each beside
 * the payload of a change, of a read, and of a list.
 */
import { assert, describe, it } from "@effect/vitest"
import { refusal, unmistakable } from "../../../packages/core/src/internal/falseSuccess.ts"

const row = { id: "w-1" }
const list = { status: 200, isStatusNamed: false, isList: true, isRead: true, needsPayload: false }
const read = { ...list, isList: false }
/** A change that promises nothing, such as a refund, and one that promises an id, or several. */
const change = { ...read, isRead: false }
const send = { ...change, needsPayload: true }
const createMany = { ...send, isList: true }

const saysTo =
  (answer: typeof list) =>
  (beside: object, data: unknown): boolean =>
    refusal({ ...answer, body: { ...beside, data }, at: ["data"] }) !== undefined

const each = (name: string, values: ReadonlyArray<unknown>): ReadonlyArray<object> =>
  values.map((value) => ({ [name]: value }))

/** Errors, whatever the payload is. */
const errors: ReadonlyArray<object> = [
  ...["success", "ok", "isSuccess", "is_success", "Successful", "succeeded"].flatMap((name) =>
    each(name, [false, "false", 0, "0"])
  ),
  ...each("status", [500, "503", 0, 4001, false, "error", "FAILED", "PENDING", "400 BAD_REQUEST", { code: 500 }]),
  ...["error", "errorMessage", "err-code", "exception", "failureReason", "failed"].flatMap((name) =>
    each(name, ["timeout", 7, true, { message: "timeout" }, ["timeout"]])
  ),
  { isError: true },
  { errors: { message: null } },
  { code: "E40000" },
  // What the message says does not undo it.
  { success: false, message: "OK" }
]

/** No errors: what an ordinary success says, and what only a contract can tell apart (`errors.when`). */
const harmless: ReadonlyArray<object> = [
  {},
  { success: true, ok: 1, succeeded: null },
  ...each("status", [200, "201", true, "ok", "SUCCESS", "completed", "", null, {}]),
  ...["error", "errors", "exception", "errorCode", "failed"].flatMap((name) =>
    each(name, [null, [], {}, "", false, "false", 0, "0"])
  ),
  { message: { en: "Sent" }, requestId: "r", timestamp: 7, constructor: "x" },
  ...each("result", ["fail"]),
  ...each("code", [0, 1, 500, "50001", "INSUFFICIENT_FUNDS"]),
  ...["retCode", "resultCode", "httpStatus", "statusCode"].flatMap((name) => each(name, [503])),
  { meta: { success: false } }
]

const kinds = [
  [change, null],
  [change, row],
  [send, row],
  [read, row],
  [list, []],
  [list, { items: [row] }],
  [createMany, [row]]
] as const

describe("beside a payload of any kind", () => {
  it.each(errors)("%j says an error", (form) => {
    for (const [answer, data] of kinds) assert.isTrue(saysTo(answer)(form, data))
  })
  it.each(harmless)("%j says none", (form) => {
    for (const [answer, data] of kinds) assert.isFalse(saysTo(answer)(form, data))
  })
})

describe("the sign of a contract", () => {
  const sign = { at: ["head", "status"], success: [1, "E00000"] }
  const says = (answer: typeof list, body: unknown, at: ReadonlyArray<string>) =>
    refusal({ ...answer, sign, body, at }) !== undefined

  it("makes every other value an error, and none", () => {
    for (const answer of [change, read, list]) {
      for (const success of sign.success)
        assert.isFalse(says(answer, { head: { status: success }, data: [] }, ["data"]))
      for (const head of [{ status: 0 }, { status: "1" }, { status: true }, { status: null }, {}, null, 1]) {
        assert.isTrue(says(answer, { head, data: [] }, ["data"]))
      }
      for (const body of [undefined, null, [], "text"]) assert.isTrue(says(answer, body, []))
      assert.isFalse(refusal({ ...answer, isRead: false, sign, status: 204, body: undefined, at: [] }) !== undefined)
    }
  })

  it("settles what its own field means, and no other", () => {
    for (const at of [["head"], ["head", "rows"], ["data"]]) {
      const body = { head: { status: 1, rows: [] }, data: [] }
      assert.isFalse(says(change, body, at))
      assert.isTrue(says(change, { ...body, error: "x" }, at))
    }
    const ofError = { sign: { at: ["error", "code"], success: [0] }, at: ["data"] }
    assert.isUndefined(refusal({ ...list, ...ofError, body: { error: { code: 0, message: "OK" }, data: [] } }))
    assert.include(refusal({ ...list, ...ofError, body: { error: { code: 7 }, data: [] } }), "error.code")
  })
})

const errorBody = { status: 400, code: "E40000", message: "Bad request", errors: { message: "Bad request" } }

describe("what a change is answered with", () => {
  const says = (answer: typeof list, payload: unknown) => saysTo(answer)({}, payload)
  const changes = [change, send]

  /** Errors in any payload of a change. */
  const inside: ReadonlyArray<object> = [{ success: false }, { code: "E40000" }, errorBody]
  it.each(inside)("%j is an error in a payload, and in each of its rows", (fields) => {
    for (const answer of changes) assert.isTrue(says(answer, { ...row, ...fields }))
    for (const rows of [
      [row, { ...row, ...fields }],
      [{ ...row, ...fields }, null]
    ]) {
      assert.isTrue(says(createMany, rows))
      assert.isTrue(says(createMany, { items: rows }))
    }
    assert.isFalse(says(read, { ...row, ...fields }))
    assert.isFalse(says(list, [{ ...row, ...fields }]))
  })

  /** What a record may say of itself. */
  const own: ReadonlyArray<object> = [
    ...each("status", ["FAILED", "REJECTED", "CANCELLED", "PENDING", "error", false, 0, 500]),
    { statusCode: 7, httpStatus: 503, resultCode: "05" },
    { status: { code: 500 }, meta: { success: false } },
    ...each("code", ["BTC", 500, 7]),
    { success: true, ok: null, isError: false, errors: [], error: null }
  ]
  it.each(own)("%j is none", (fields) => {
    for (const answer of changes) assert.isFalse(says(answer, { ...row, ...fields }))
    assert.isFalse(says(createMany, [{ ...row, ...fields }]))
  })

  it.each([
    { error: "too big" },
    { errors: [{ message: "x" }] },
    { errCode: 7 },
    { errorMessage: "x" },
    { failed: true }
  ])("%j is one where nothing is promised, and a field of the record where an id is", (payload) => {
    assert.isTrue(says(change, payload))
    assert.isFalse(says(send, { ...row, ...payload }))
    assert.isFalse(says(createMany, [{ ...row, ...payload }]))
  })

  it("is read where the contract says, also if it is the whole body", () => {
    assert.include(refusal({ ...change, body: { error: "too big" }, at: [] }), "error")
    assert.include(refusal({ ...send, body: { ...row, ...errorBody }, at: [] }), "code")
    assert.isUndefined(refusal({ ...send, body: { ...row, status: "FAILED" }, at: [] }))
    for (const payload of ["text", [], [null, "text"], 7]) assert.isFalse(says(change, payload))
  })

  it("has items as a field like any other, if it is no list", () => {
    assert.isFalse(says(send, { items: [row], error: "of the payload" }))
  })
})

describe("an error in the place of a list", () => {
  it("is looked for in every object around the list, and not under the list's own key", () => {
    const inner = { errors: { success: false, list: [] } }
    assert.include(refusal({ ...list, body: inner, at: ["errors", "list"] }), "success")
    assert.isUndefined(refusal({ ...list, body: { errors: [row] }, at: ["errors"] }))
    assert.include(refusal({ ...list, body: { data: { items: [], code: "E40000" } }, at: ["data"] }), "code")
  })

  it("is not looked for in a body that is the list, and is no matter of a list that is missing", () => {
    assert.isUndefined(refusal({ ...list, body: [{ ...row, status: "failed", error: "x" }], at: [] }))
    assert.isUndefined(refusal({ ...list, body: null, at: [] }))
    assert.isUndefined(refusal({ ...list, body: { success: false }, at: ["data"] }))
    assert.isUndefined(refusal({ ...list, body: undefined, at: ["data"] }))
  })

  it.each([202, 206, 207])("may be HTTP %i, unless the contract names it", (status) => {
    const part = { ...list, status, body: [row], at: [] }
    for (const of of [refusal, unmistakable]) {
      assert.isDefined(of({ ...part, isStatusNamed: false }))
      assert.isUndefined(of({ ...part, isStatusNamed: true }))
      assert.isUndefined(of({ ...part, isRead: false }))
    }
  })
})

describe("an answer that is read by code", () => {
  it("is no success if it is the specification's error body, and whatever else it says is for the code", () => {
    for (const answer of [change, send, read, list, createMany]) {
      assert.strictEqual(unmistakable({ ...answer, body: errorBody }), "its envelope says HTTP 400, E40000")
      for (const body of [
        { success: false, status: 400 },
        { code: "E40000" },
        { status: 200, code: "E40000" },
        { status: 400, code: 40_000 },
        [errorBody],
        { data: errorBody },
        undefined
      ]) {
        assert.isUndefined(unmistakable({ ...answer, body }))
      }
    }
  })
})
