/**
 * More forms of an error with the status of a success: a status by its name, a code by another name, and one level of
 * object around them. Each stands beside the payload of a change, of a read, and of a list.
 */
import { describe, it } from "@effect/vitest"
import { STATUS_CODES } from "node:http"
import { assertSays, each } from "./falseSuccessForms.ts"

/** Each word as a value of each name. */
const all = (names: string, words: string): ReadonlyArray<object> =>
  names.split(" ").flatMap((name) => each(name, words.split(" ")))

const named = "status statusCode httpStatus code resultCode"

/** `400 Bad Request`, of every error that Node knows; a teapot has an apostrophe. */
const reasons = Object.entries(STATUS_CODES).flatMap(([status, reason]) =>
  /^[45]/.test(status) && status !== "418" && reason !== undefined ? [[status, reason] as const] : []
)

/** Errors, whatever the payload is. */
const errors: ReadonlyArray<object> = [
  ...reasons.flatMap(([status, reason]) => [
    { status: `${status} ${reason}` },
    { status: `${status} ${reason.toUpperCase().replaceAll(/[ -]/g, "_")}` }
  ]),
  ...all(named, "BAD_REQUEST BadRequest INTERNAL_SERVER_ERROR UNPROCESSABLE_ENTITY TOO_MANY_REQUESTS"),
  ...all(named, "REQUEST_HEADER_FIELDS_TOO_LARGE NETWORK_AUTHENTICATION_REQUIRED FORBIDDEN"),
  ...all(named, "DATA_LOSS DEADLINE_EXCEEDED FAILED_PRECONDITION InvalidArgument OUT_OF_RANGE PERMISSION_DENIED"),
  ...all(named, "RESOURCE_EXHAUSTED UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED"),
  ...named.split(" ").flatMap((name) => each(name, ["Bad Request", " 400 Bad Request ", "409 CONFLICT"])),
  ...["httpStatus", "http_status", "httpStatusCode", "httpCode"].flatMap((name) => each(name, [503, "400", "error"])),
  ...["resultCode", "response_code", "returnCode", "respCode"].flatMap((name) => each(name, [500, "404", "E40000"])),
  ...each("status", [{ code: 500 }, { code: "503", message: "OK" }, { code: "ERROR" }, { code: "BAD_REQUEST" }]),
  ...each("status", [{ code: "E40000" }, { status: "failed" }, { success: false }, { error: true }]),
  ...each("meta", [
    { success: false },
    { success: "false" },
    { isError: true },
    { status: 500 },
    { statusCode: "404" }
  ]),
  ...each("meta", [{ httpStatus: 503 }, { code: "E40000" }, { code: 400 }, { status: "BAD_REQUEST" }]),
  ...each("meta", [{ error: "timeout" }, { errors: ["timeout"] }, { errorMessage: "timeout" }]),
  { Meta: { Success: false } }
]

/** Errors only beside an empty payload. */
const ofEmpty: ReadonlyArray<object> = [
  // These may be the state of what was asked for.
  ...all("status statusCode code", "ABORTED ALREADY_EXISTS CONFLICT GONE INTERNAL LOCKED NOT_FOUND PAYMENT_REQUIRED"),
  ...all("status statusCode code", "UNKNOWN UPGRADE_REQUIRED"),
  ...all("resultCode response_code returnCode respCode", "1 05 9999 10001 INSUFFICIENT_FUNDS"),
  { resultCode: 10_000 },
  { resultCode: 1, resultMsg: "Insufficient balance" },
  { resultCode: 1, resultMsg: "OK", message: "Insufficient balance" },
  { resultCode: 1, otherMsg: "OK" },
  ...each("status", [{ code: 7 }, { code: "7", message: "denied" }, { code: 1000 }, { code: "NOT_FOUND" }])
]

/** No errors: what an ordinary success may say. */
const harmless: ReadonlyArray<object> = [
  ...all("status statusCode httpStatus", "CANCELLED canceled OK SUCCESS CREATED ACCEPTED NO_CONTENT FOUND"),
  ...all("status statusCode httpStatus", "PENDING IN_PROGRESS PROCESSED APPROVED COMPLETED"),
  ...each("status", ["200 OK", "201 CREATED", "202 Accepted", "302 FOUND", "400 of 400", "500 rows"]),
  ...all("resultCode response_code returnCode respCode", "0 00 000 0000 200 201 OK Success APPROVED"),
  ...each("resultCode", [0, 200, "", null, false]),
  ...each("httpStatus", [200, "201", null]),
  { resultCode: "10000", resultMsg: "SUCCESS" },
  { response_code: 1000, response_message: "Successful" },
  { returnCode: 1, returnMsg: "OK" },
  { respCode: "10000", respDesc: "Success" },
  { status: { code: 7 }, message: "OK" },
  ...each("status", [{}, [], { code: 0 }, { code: "00", message: "x" }, { code: 200 }, { code: "OK" }]),
  ...each("status", [{ code: "PENDING", name: "Pending" }, { code: "CANCELLED" }, { code: 1, message: "Success" }]),
  ...each("status", [{ id: 500, name: "FAILED" }, { inner: { success: false } }]),
  ...each("meta", [{}, [], null, "error", { success: true, status: 200, errors: [], error: null }]),
  ...each("meta", [
    { page: 1, limit: 500, total: 0, code: "USD" },
    { status: "FAILED", result: "failed" }
  ]),
  ...each("meta", [{ code: 1 }, { success: 0, succeeded: 0, failed: 0, total: 0 }, { filter: { success: false } }])
]

describe("beside a payload of any kind", () => {
  it.each(errors)("%j says an error", (form) => assertSays(form, true, true))
  it.each(ofEmpty)("%j says one only if the payload is empty", (form) => assertSays(form, true, false))
  it.each(harmless)("%j says none", (form) => assertSays(form, false, false))
})
