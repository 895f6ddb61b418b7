/**
 * Is an answer with the status of a success a success of this endpoint, and does it have its payload? A program that
 * takes an error for an empty list of payments may pay again. A program that takes it for a success believes that its
 * change was made. Pure.
 *
 * 1. `refusal` finds an error by what the specification shows (the envelope's `status` and `code`), by `success: false`,
 *    and by the sign that a contract names. An error that only another field shows, such as `"error": "no"` or
 *    `"ok": false`, counts as a success: only a contract can name such a sign.
 * 2. `meaning` decides about a success without a payload: `data: null`, an empty body, or a 204. A proxy may send any of
 *    them, so each counts only if the contract or the envelope confirms it.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"
import { isErrorCode } from "../errors/ErrorAnswer.ts"
import * as Path from "../json/ExactJson.ts"
import { readRows } from "./ListAnswer.ts"

// 1. An error with the status of a success.

/** The HTTP statuses for unfinished work, and for an answer with only a part of the data. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

/** The contract's test for a success: the path of a field in the answer, and the values that mean success. */
export interface Sign {
  readonly at: Path.Segments
  readonly success: ReadonlyArray<unknown>
}

export interface PlacedAnswer {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** `true` if the contract lists the status as a success. */
  readonly isStatusNamed: boolean
  readonly isList: boolean
  readonly isRead: boolean
  /** The path of keys to the payload; empty if the body is the payload. */
  readonly at: ReadonlyArray<string>
  readonly sign?: Sign | undefined
}

type Json = Readonly<Record<string, unknown>>
type FieldTest = (name: string, value: unknown) => boolean

/** Tests a field of a payload that a change returns. Any other field may be about another request. */
const isErrorInPayload: FieldTest = (name, value) =>
  (name === "success" && value === false) || (name === "code" && isErrorCode(value))

/** `true` for an HTTP status of a success, as a number or in digits. */
const isSuccessStatus = (status: unknown): boolean =>
  (typeof status === "number" || typeof status === "string") && /^2\d\d$/.test(String(status))

/** Tests a field around a payload. A `status` there is the HTTP status of a success, or there is none. */
const isErrorAround: FieldTest = (name, value) =>
  isErrorInPayload(name, value) || (name === "status" && value !== null && !isSuccessStatus(value))

const find = (object: unknown, test: FieldTest, except: ReadonlyArray<string | undefined>): string | undefined =>
  Predicate.isReadonlyObject(object)
    ? Object.keys(object).find((name) => !except.includes(name) && test(name, (object as Json)[name]))
    : undefined

/** `true` for the specification's error body, which is an error in every place: it has the status and the code of one. */
export const isError = (body: unknown): body is { readonly status: unknown; readonly code: string } =>
  Predicate.isReadonlyObject(body) &&
  isErrorCode(body["code"]) &&
  body["status"] !== undefined &&
  isErrorAround("status", body["status"])

/** Says why an answer with the status of a success is none; `undefined` if nothing denies the success. */
export const refusal = (answer: PlacedAnswer): string | undefined => {
  const { at, body, isList, isRead, isStatusNamed, sign, status } = answer
  if (isList && isRead && unfinished.has(status) && !isStatusNamed) {
    return "the status does not say that the list is complete"
  }
  if (isError(body)) return `its envelope says HTTP ${String(body.status)}, ${body.code}`
  if (sign !== undefined && !isBodiless(status) && !sign.success.includes(Path.at(body, sign.at))) {
    return `its envelope reports an error: ${sign.at.join(".")}`
  }
  // The key of `sign` in the object at this depth. `sign` is checked above, so the search below skips this key.
  const signKey = (depth: number): string | undefined =>
    at.slice(0, depth).every((key, nth) => key === sign?.at[nth]) ? sign?.at[depth] : undefined
  const around: Array<readonly [object: unknown, key: string]> = []
  let found = body
  for (const key of at) {
    around.push([found, key])
    found = Path.at(found, [key])
  }
  const { holder, rows } = isList ? readRows(found) : { holder: undefined, rows: found }
  if (holder !== undefined) around.push([holder, "items"])
  for (const [depth, [object, key]] of around.entries()) {
    const name = find(object, isErrorAround, [key, signKey(depth)])
    if (name !== undefined) return `its envelope reports an error: ${name}`
  }
  // Skip the record of a read: its error fields may be about an earlier change, not about this request.
  if (isRead) return undefined
  for (const record of Array.isArray(rows) ? rows : [rows]) {
    const name = find(record, isErrorInPayload, [signKey(at.length)])
    if (name !== undefined) return `its payload reports an error: ${name}`
  }
  return undefined
}

// 2. A success without a payload.

export interface Answer {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** The value in the place of the payload. */
  readonly found: unknown
}

export interface Expected {
  readonly isRead: boolean
  /** `true` if a success must have a payload, such as an id, or a list of created records. */
  readonly needsPayload: boolean
  /** `true` if the contract declares the place of the payload. */
  readonly isPlaceDeclared: boolean
  /** `true` if the contract lists the status of the answer as a success. */
  readonly isStatusNamed: boolean
}

/** `true` for the statuses that have no body in HTTP. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205

/**
 * `Nothing`: the service itself answers with success and without a payload, so a change has taken effect. `Unreadable`:
 * the answer may not be the service's, or lacks a required payload, so the outcome of a change is unknown.
 */
export const meaning = (
  { body, found, status }: Answer,
  { isPlaceDeclared, isRead, isStatusNamed, needsPayload }: Expected
): "Payload" | "Nothing" | "Unreadable" => {
  if (found !== undefined && found !== null) return "Payload"
  if (needsPayload) return "Unreadable"
  if (isBodiless(status)) return isStatusNamed ? "Nothing" : "Unreadable"
  // An empty body, a body that is not JSON, and a body without the payload's key may not come from the service.
  if (found === undefined) return "Unreadable"
  // A null counts as sent by the service, not by a proxy, in two cases: the contract declares the place of the
  // payload, or the operation changes something and the envelope has a message or a status.
  const isEnvelope = Predicate.isReadonlyObject(body) && ("message" in body || "status" in body)
  return isPlaceDeclared || (isEnvelope && !isRead) ? "Nothing" : "Unreadable"
}
