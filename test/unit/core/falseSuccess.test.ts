/** Which envelopes are errors in the form of a success: every name and value that says so, and those that do not. */
import { assert, describe, it } from "@effect/vitest"
import { refusal } from "../../../packages/core/src/internal/falseSuccess.ts"

const row = { id: "w-1" }
const ofList = { status: 200, isStatusNamed: false, isList: true, isRead: true, needsPayload: true }
const saysWith =
  (answer: typeof ofList) =>
  (beside: object, data: unknown): boolean =>
    refusal({ ...answer, body: { ...beside, data }, at: ["data"] }) !== undefined
const says = saysWith(ofList)
const saysOfChange = saysWith({ ...ofList, isList: false, isRead: false })

const errors: ReadonlyArray<object> = [
  { success: false },
  { Success: "False" },
  { ok: false },
  { succeeded: false },
  ...["error", "FAIL", "failed", "Failure", "ko", 500, "503"].map((status) => ({ status })),
  { error: "timeout" },
  { error: { message: "timeout" } },
  { error: true },
  { errors: ["timeout"] },
  ...["err-code", "err_code", "errorCode", "error_code"].map((name) => ({ [name]: "E7" })),
  { errorCode: 7 },
  { statusCode: 400 },
  { status_code: "503" },
  { statusCode: 50_001 },
  { timed_out: true }
]

const ofEmpty: ReadonlyArray<object> = [
  { code: 1 },
  { code: "40725" },
  { code: 500 },
  { retCode: 10_001 },
  { ret_code: "10001" },
  { errno: -1 }
]

const harmless: ReadonlyArray<object> = [
  {},
  { success: true, ok: 1, succeeded: null },
  ...["ok", "success", "", null, 200, "200", { error: true }].map((status) => ({ status })),
  { error: null, errors: [] },
  { error: "", errors: {} },
  { error: false, errors: 0 },
  ...["none", "null", "No error", "no_errors", "OK", "success"].map((error) => ({ error })),
  ...[0, "0", "00000", "000000", 200, "200", "OK", "ok", "Success", "", null].flatMap((code) => [
    { code },
    { retCode: code },
    { errno: code },
    { errorCode: code },
    { "err-code": code }
  ]),
  { statusCode: 200 },
  { statusCode: "0000" },
  { timed_out: false },
  { constructor: "x", __proto: 1, message: "error", total: 0 },
  { code: { toString: 1 }, status: { toString: 1 }, statusCode: { toString: 1 } }
]

describe("beside a list", () => {
  it.each(errors)("%j says an error, whether the list has rows or not", (beside) => {
    for (const data of [null, [], [row], { items: [] }, { items: [row] }]) assert.isTrue(says(beside, data))
  })

  it.each(ofEmpty)("%j says an error only if the list has no rows", (beside) => {
    for (const data of [null, [], { items: [] }]) assert.isTrue(says(beside, data))
    for (const data of [[row], { items: [row] }]) assert.isFalse(says(beside, data))
  })

  it.each(harmless)("%j says none", (beside) => {
    for (const data of [null, [], [row], { items: [] }]) assert.isFalse(says(beside, data))
  })
})

describe("beside the payload of a change", () => {
  it.each(errors)("%j says an error, whatever the payload is", (beside) => {
    for (const data of [null, {}, row]) assert.isTrue(saysOfChange(beside, data))
  })

  it.each(ofEmpty)("%j says an error only if the payload is empty", (beside) => {
    for (const data of [null, {}]) assert.isTrue(saysOfChange(beside, data))
    assert.isFalse(saysOfChange(beside, row))
  })

  it.each(harmless)("%j says none", (beside) => {
    for (const data of [null, {}, row]) assert.isFalse(saysOfChange(beside, data))
  })

  it("the payload itself may be the error, if the change promises nothing", () => {
    const promises = (needsPayload: boolean) => saysWith({ ...ofList, isList: false, isRead: false, needsPayload })
    for (const payload of [{ error: "too big" }, { success: false }, { errors: [{ message: "x" }] }, { errCode: 7 }]) {
      assert.isTrue(promises(false)({}, payload))
      assert.isFalse(promises(true)({}, payload))
    }
    for (const payload of [{ status: "FAILED" }, { error: null, code: 7 }, "text", []]) {
      assert.isFalse(promises(false)({}, payload))
    }
  })

  it("items are a field like any other", () => {
    assert.isFalse(saysOfChange({}, { items: [row], error: "of the payload" }))
  })
})

describe("an error in the place of a list", () => {
  const answer = ofList

  it("is looked for in every object around the list, and not under the list's own key", () => {
    const inner = { errors: { success: false, list: [] } }
    assert.include(refusal({ ...answer, body: inner, at: ["errors", "list"] }), "success")
    assert.isUndefined(refusal({ ...answer, body: { errors: [row] }, at: ["errors"] }))
    assert.include(refusal({ ...answer, body: { data: { items: [], code: "7" } }, at: ["data"] }), "code")
  })

  it("is not looked for in a body that is the list, and is no matter of a list that is missing", () => {
    assert.isUndefined(refusal({ ...answer, body: [{ ...row, status: "failed", error: "x" }], at: [] }))
    assert.isUndefined(refusal({ ...answer, body: null, at: [] }))
    assert.isUndefined(refusal({ ...answer, body: { success: false }, at: ["data"] }))
    assert.isUndefined(refusal({ ...answer, body: undefined, at: ["data"] }))
  })

  it.each([202, 206, 207])("may be HTTP %i, unless the contract names it", (status) => {
    const list = { ...ofList, status, body: [row], at: [] }
    assert.isDefined(refusal({ ...list, isStatusNamed: false }))
    assert.isUndefined(refusal({ ...list, isStatusNamed: true }))
    assert.isUndefined(refusal({ ...list, isRead: false }))
  })
})
