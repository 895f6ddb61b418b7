/**
 * What counts as an error that is sent with the status of a success, and what does not: one table of forms, each beside
 * the payload of a change, of a read, and of a list. Money is never guessed, and an ordinary success is no error.
 */
import { assert, describe, it } from "@effect/vitest"
import { refusal, unmistakable } from "../../../packages/core/src/internal/falseSuccess.ts"
import { assertSays, change, createMany, each, list, read, row, saysTo, send } from "./falseSuccessForms.ts"

/** Errors, whatever the payload is. */
const errors: ReadonlyArray<object> = [
  ...each("success", [false, "False", 0, "0", "no", "N", "failed"]),
  ...each("ok", [false, "false", 0]),
  ...["Success", "succeeded", "isSuccess", "is_success", "isSuccessful", "successful", "isOk"].map((name) => ({
    [name]: false
  })),
  ...["isError", "is_error", "hasError", "has_errors", "isFailed"].flatMap((name) => each(name, [true, "true", 1])),
  ...each("failed", [true, "true"]),
  ...each("status", [false, "false", "error", "ERR", "FAIL", "failed", "Failure", "ko", "NOK", "not ok"]),
  ...each("status", ["REJECTED", "declined", "denied", "refused", "unsuccessful", "timed_out", "timeout", "exception"]),
  ...each("status", [500, "503", 4001, 40_001, -1]),
  ...each("result", ["error", "fail", "FAILED", false]),
  ...each("outcome", ["failure"]),
  { error: "timeout" },
  { error: { message: "timeout" } },
  { error: true },
  { exception: "java.lang.NullPointerException" },
  { errors: ["timeout"] },
  { errors: [null, { path: ["amount"] }] },
  { errors: { message: "", amount: ["too big"] } },
  { error: { code: 7, message: "" } },
  ...["errorMessage", "error_message", "errorMsg", "errmsg", "errorDescription", "failureReason"].map((name) => ({
    [name]: "Insufficient balance"
  })),
  ...["err-code", "err_code", "errorCode", "error_code"].flatMap((name) => each(name, ["E7", 1, "1000"])),
  ...each("statusCode", [400, 600, 50_001, "error"]),
  { status_code: "503" },
  { code: 500 },
  { code: "422" },
  { code: "E40000" },
  { timed_out: true },
  // What the message says does not undo it.
  { success: false, message: "OK" },
  { code: 500, message: "success" }
]

/** Errors only beside an empty payload: with another, they may be codes of success that nobody knows. */
const ofEmpty: ReadonlyArray<object> = [
  ...each("code", [1, 1000, 2000, "40725", -1, "INSUFFICIENT_FUNDS"]),
  { retCode: 10_001 },
  { ret_code: "10001" },
  { errno: -1 },
  ...each("status", [0, "0", 1000, 2000]),
  ...each("statusCode", [1000, "2000", 20_000]),
  { code: 40_725, message: "OK" },
  { code: 1, message: "Insufficient balance" },
  { code: 1, message: null, msg: { text: "OK" } }
]

/** No errors: the forms of an ordinary success. */
const harmless: ReadonlyArray<object> = [
  {},
  { success: true, ok: 1, succeeded: null },
  { isError: false, hasError: 0, failed: 0, isFailed: "false" },
  ...each("failed", [3, []]),
  ...each("status", ["ok", "success", "", null, 200, "201", 1, true, "PENDING", "queued"]),
  ...each("result", ["ok", "pending", 0, { error: true }]),
  ...["error", "errors", "exception", "errorMessage", "errmsg"].flatMap((name) =>
    each(name, [
      null,
      [],
      {},
      "",
      " ",
      false,
      "false",
      0,
      "0",
      "-",
      "N/A",
      "none",
      "null",
      "No error.",
      "no_errors",
      "OK"
    ])
  ),
  ...each("errors", [{ message: null }, { message: "" }, { message: [] }, { message: "Success" }, [null], [[]]]),
  { errors: { count: 0, items: [] } },
  ...each("error", [{ code: null }, { code: 0, message: "OK" }, { code: 200, message: "" }, { status: "201" }]),
  ...[
    0,
    "0",
    "00000",
    "000000",
    200,
    "201",
    202,
    204,
    "OK",
    "ok",
    "Success",
    "SUCCESSFUL",
    "CREATED",
    "",
    null
  ].flatMap((code) => [{ code }, { retCode: code }, { errno: code }, { errorCode: code }, { "err-code": code }]),
  ...each("statusCode", [200, 201, "0000"]),
  // Its own message settles what a number may mean.
  ...[1, 1000, 2000, 20_000, "TX_LIST"].map((code) => ({ code, message: "Success" })),
  { status: 0, msg: "ok" },
  { timed_out: false },
  { constructor: "x", __proto: 1, message: "error", total: 0 },
  { code: { toString: 1 }, status: { toString: 1 }, statusCode: { toString: 1 } }
]

describe("beside a payload of any kind", () => {
  it.each(errors)("%j says an error", (form) => assertSays(form, true, true))
  it.each(ofEmpty)("%j says one only if the payload is empty", (form) => assertSays(form, true, false))
  it.each(harmless)("%j says none", (form) => assertSays(form, false, false))
})

const errorBody = { status: 400, code: "E40000", message: "Bad request", errors: { message: "Bad request" } }

describe("what a change is answered with", () => {
  const says = (answer: typeof list, payload: unknown) => saysTo(answer)({}, payload)
  const changes = [change, send]

  /** Errors in any payload of a change. */
  const inside: ReadonlyArray<object> = [
    ...each("success", [false, "false", 0]),
    { ok: false },
    { succeeded: false },
    { isSuccess: false },
    { isError: true },
    { success: false, error: "limit of clients reached" },
    errorBody,
    { code: "E40000", status: 400 },
    { code: "E40000", status: "422" },
    { code: "E40000", message: "Bad request" },
    { code: "E40000", errors: { amount: ["too big"] } },
    { code: "E40000", error: "Bad request" },
    { code: "E40000", errorMessage: "Bad request" }
  ]
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
    ...each("status", ["FAILED", "REJECTED", "CANCELLED", "PENDING", "ABORTED", "LOCKED", "error", false, 0, 500]),
    { statusCode: 7 },
    { httpStatus: 503, resultCode: "05", responseCode: 500 },
    { status: { code: 500 }, meta: { success: false } },
    ...each("code", ["E40000", "BTC", 500, 7]),
    { code: "E40000", status: "COMPLETED", errors: [], error: null },
    { success: true, ok: null, isError: false },
    { jobId: "j", status: "QUEUED", errors: { count: 0, items: [] } },
    { errors: { message: null } }
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

  it("is no error because it repeats what was sent", () => {
    const metadata = { errors: "see attachment 3", ok: false, code: "E12345", message: "x", list: [{ a: 1 }] }
    const sent = { params: { tokenId: "t" }, query: {}, body: { _tag: "Json", fields: { metadata } } }
    const echo = (payload: object) => refusal({ ...change, sent, body: { data: payload }, at: ["data"] })
    assert.isUndefined(echo(metadata))
    assert.isUndefined(echo({ ...metadata, list: [{ a: 1 }] }))
    assert.include(echo({ ...metadata, errors: "too big" }), "errors")
    assert.include(echo({ ...metadata, success: false }), "success")
    assert.include(echo({ ...metadata, code: "E40000" }), "code")
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
    assert.include(refusal({ ...list, body: { data: { items: [], code: "7" } }, at: ["data"] }), "code")
  })

  it("is not looked for in a body that is the list, and is no matter of a list that is missing", () => {
    assert.isUndefined(refusal({ ...list, body: [{ ...row, status: "failed", error: "x" }], at: [] }))
    assert.isUndefined(refusal({ ...list, body: null, at: [] }))
    assert.isUndefined(refusal({ ...list, body: { success: false }, at: ["data"] }))
    assert.isUndefined(refusal({ ...list, body: undefined, at: ["data"] }))
  })

  it("is found in steps that do not grow with its depth", () => {
    let deep: unknown = null
    for (let level = 0; level < 500; level++) deep = { deep }
    assert.isTrue(saysTo(list)({ errors: deep }, []))
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
