/**
 * What counts as an error that is sent with the status of a success, and what does not: one table of forms, each beside
 * the payload of a change, of a read, and of a list.
 */
import { assert, describe, it } from "@effect/vitest"
import { refusal } from "../src/answer/Answer.ts"

const row = { id: "w-1" }
const list = { status: 200, isStatusNamed: false, isList: true, isRead: true }
const read = { ...list, isList: false }
const change = { ...read, isRead: false }
const createMany = { ...change, isList: true }

const saysTo =
  (answer: typeof list) =>
  (beside: object, data: unknown): boolean =>
    refusal({ ...answer, body: { ...beside, data }, at: ["data"] }) !== undefined

const each = (names: string, values: ReadonlyArray<unknown>): ReadonlyArray<object> =>
  names.split(" ").flatMap((name) => values.map((value) => ({ [name]: value })))

/** Errors, whatever the payload is. */
const errors: ReadonlyArray<object> = [
  { success: false },
  // What the message says does not undo it.
  { success: false, message: "OK" },
  ...each("status", [500, "503", 0, 100, 302, 4001, "-1", "2000", 200.5]),
  ...each("status", ["success", "FAILED", "400 BAD_REQUEST", "", true, false, { code: 500 }, [200]]),
  { code: "E40000" },
  { status: 200, code: "E40000" }
]

/** No errors: what an ordinary success says, and what only a contract can tell apart (`errors.when`). */
const harmless: ReadonlyArray<object> = [
  {},
  { success: true, message: { en: "Sent" }, requestId: "r", timestamp: 7, constructor: "x" },
  ...each("status", [200, "201", 299, null]),
  ...each("code", [0, 1, 500, "50001", "INSUFFICIENT_FUNDS"]),
  ...each("success", [0, "false", null]),
  ...each("ok error errors errorCode exception failed failureReason", [false, true, "timeout", { message: "no" }]),
  ...each("result retCode resultCode httpStatus statusCode", ["fail", 503]),
  { meta: { success: false } }
]

const kinds = [
  [change, null],
  [change, row],
  [read, row],
  [list, []],
  [list, { items: [row] }],
  [createMany, [row]]
] as const

describe("a field beside a payload", () => {
  it("each of these fields beside a payload is an error", () => {
    for (const form of errors) {
      for (const [answer, data] of kinds) assert.isTrue(saysTo(answer)(form, data), JSON.stringify([form, data]))
    }
  })
  it("none of these fields beside a payload is an error", () => {
    for (const form of harmless) {
      for (const [answer, data] of kinds) assert.isFalse(saysTo(answer)(form, data), JSON.stringify([form, data]))
    }
  })
})

describe("the sign of a contract", () => {
  const sign = { at: ["head", "status"], success: [1, "E00000"] }
  const says = (answer: typeof list, body: unknown, at: ReadonlyArray<string>) =>
    refusal({ ...answer, sign, body, at }) !== undefined

  it("a contract's sign is an error if it is missing or has no value of a success", () => {
    for (const answer of [change, read, list]) {
      for (const status of sign.success) assert.isFalse(says(answer, { head: { status }, data: [] }, ["data"]))
      for (const head of [{ status: 0 }, { status: "1" }, { status: true }, { status: null }, {}, null, 1]) {
        assert.isTrue(says(answer, { head, data: [] }, ["data"]))
      }
      for (const body of [undefined, null, [], "text"]) assert.isTrue(says(answer, body, []))
      assert.isUndefined(refusal({ ...answer, isRead: false, sign, status: 204, body: undefined, at: [] }))
    }
  })

  it("a contract's sign decides about its own field, and about no other", () => {
    for (const at of [["head"], ["head", "rows"], ["data"]]) {
      const body = { head: { status: 1, rows: [] }, data: [] }
      assert.isFalse(says(change, body, at))
      assert.isTrue(says(change, { ...body, success: false }, at))
    }
    const ofError = { sign: { at: ["error", "code"], success: [0] }, at: ["data"] }
    assert.isUndefined(refusal({ ...list, ...ofError, body: { error: { code: 0, message: "OK" }, data: [] } }))
    assert.include(refusal({ ...list, ...ofError, body: { error: { code: 7 }, data: [] } }), "error.code")
  })
})

const errorBody = { status: 400, code: "E40000", message: "Bad request", errors: { message: "Bad request" } }

describe("the payload of a change", () => {
  const says = (answer: typeof list, payload: unknown) => saysTo(answer)({}, payload)

  it("a payload of a change, or a row of it, is an error if it denies success or has a code of the specification", () => {
    for (const fields of [{ success: false }, { code: "E40000" }, errorBody]) {
      const failed = { ...row, ...fields }
      assert.isTrue(says(change, failed))
      for (const rows of [
        [row, failed],
        [failed, null]
      ]) {
        assert.isTrue(says(createMany, rows))
        assert.isTrue(says(createMany, { items: rows }))
      }
      assert.isFalse(says(read, failed))
      assert.isFalse(says(list, [failed]))
    }
  })

  it("a field that a record may have of its own is no error in the payload of a change", () => {
    for (const fields of [
      ...each("status", ["FAILED", "CANCELLED", "PENDING", "error", false, 0, 500, { code: 500 }]),
      { statusCode: 7, httpStatus: 503, meta: { success: false } },
      ...each("code", ["BTC", 500]),
      ...each("error errors failed errorMessage", ["too big", null, [], true])
    ]) {
      assert.isFalse(says(change, { ...row, ...fields }))
      assert.isFalse(says(createMany, [{ ...row, ...fields }]))
    }
    for (const payload of ["text", [], [null, "text"], 7]) assert.isFalse(says(change, payload))
  })

  it("the payload of a change is checked in the place that the contract names, also if that is the whole body", () => {
    assert.include(refusal({ ...change, body: { success: false }, at: [] }), "success")
    assert.strictEqual(
      refusal({ ...change, body: { ...row, ...errorBody }, at: [] }),
      "its envelope says HTTP 400, E40000"
    )
    assert.isUndefined(refusal({ ...change, body: { ...row, status: "FAILED" }, at: [] }))
  })
})

describe("an error in the place of a list", () => {
  it("an error is searched in every object around a list, and not under the list's own key", () => {
    const inner = { errors: { success: false, list: [] } }
    assert.include(refusal({ ...list, body: inner, at: ["errors", "list"] }), "success")
    assert.isUndefined(refusal({ ...list, body: { success: [row] }, at: ["success"] }))
    assert.include(refusal({ ...list, body: { data: { items: [], code: "E40000" } }, at: ["data"] }), "code")
    assert.include(refusal({ ...list, body: { success: false }, at: ["data"] }), "success")
  })

  it("no error is searched in a body that is the list", () => {
    assert.isUndefined(refusal({ ...list, body: [{ ...row, status: 500, success: false }], at: [] }))
    assert.isUndefined(refusal({ ...list, body: null, at: [] }))
  })

  it.each([202, 206, 207])("HTTP %i is no complete list, unless the contract names the status", (status) => {
    const part = { ...list, status, body: [row], at: [] }
    assert.isDefined(refusal({ ...part, isStatusNamed: false }))
    assert.isUndefined(refusal({ ...part, isStatusNamed: true }))
    assert.isUndefined(refusal({ ...part, isRead: false }))
  })
})
