/**
 * Recognises an error that the service sends with a success status. A program that takes such an error for an empty
 * list of payments may pay again. A program that takes it for a success believes that its change was made. Pure.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"
import * as Path from "../json/JsonPath.ts"
import { isErrorCode } from "../errors/ErrorAnswer.ts"
import { readRows } from "./ListAnswer.ts"
import { isBodiless } from "./MissingPayload.ts"

export const isErrorStatus = (status: unknown): boolean =>
  (typeof status === "number" || typeof status === "string") && /^[45]\d\d$/.test(String(status))

/** The HTTP statuses for unfinished work, and for an answer with only a part of the data. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

export interface Answer {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** `true` if the `ServiceContract` lists the status as a success. */
  readonly isStatusNamed: boolean
  readonly isList: boolean
  readonly isRead: boolean
}

/** The contract's test for a success: the path of a field in the answer, and the values that mean success. */
export interface Sign {
  readonly at: Path.Segments
  readonly success: ReadonlyArray<unknown>
}

interface PlacedAnswer extends Answer {
  /** `true` if a success must have a payload, such as an id. */
  readonly needsPayload: boolean
  /** The path of keys to the payload; empty if the body is the payload. */
  readonly at: ReadonlyArray<string>
  readonly sign?: Sign | undefined
}

/** Says why an answer is certainly not a success: its body is an error, or only a part of a list. */
const certainRefusal = ({ body, isList, isRead, isStatusNamed, status }: Answer): string | undefined => {
  if (isList && isRead && unfinished.has(status) && !isStatusNamed) {
    return "the status does not say that the list is complete"
  }
  return Predicate.isReadonlyObject(body) && isErrorStatus(body["status"]) && isErrorCode(body["code"])
    ? `its envelope says HTTP ${String(body["status"])}, ${String(body["code"])}`
    : undefined
}

const isBlank = (value: unknown): boolean =>
  Predicate.isObjectOrArray(value)
    ? Object.keys(value).length === 0
    : value === undefined || value === null || value === ""

const isNo = (value: unknown): boolean => value === false || value === 0 || value === "false" || value === "0"

/** `true` for a success: 200 to 299, or a word for it. */
const isSuccessStatus = (status: unknown): boolean =>
  !Predicate.isObjectOrArray(status) &&
  /^(?:2\d\d|true|ok|success(?:ful)?|succeeded|accepted|created|completed?|done)$/i.test(String(status))

type Json = Readonly<Record<string, unknown>>
type FieldTest = (name: string, value: unknown) => boolean

const isErrorSign: FieldTest = (name, value) =>
  (/^err|error|exception|fail/i.test(name) && !isBlank(value) && !isNo(value)) ||
  (/^(?:is_?)?(?:ok|success(?:ful)?|succeeded)$/i.test(name) && isNo(value))

/**
 * Tests a field of the record that a change must return. Only `success: false` and an error code count, because any
 * other error field of the record may be about another request.
 */
const isErrorInRecord: FieldTest = (name, value) =>
  (name === "success" && value === false) || (name === "code" && isErrorCode(value))

/**
 * Tests a field in the payload of a change that need not return one. Every sign of an error counts, because there is no
 * record that an error field could describe.
 */
const isErrorInEmpty: FieldTest = (name, value) => isErrorInRecord(name, value) || isErrorSign(name, value)

const isErrorBesidePayload: FieldTest = (name, value) =>
  (name === "status" && !isBlank(value) && !isSuccessStatus(value)) || isErrorInEmpty(name, value)

const find = (object: Json, test: FieldTest, except: ReadonlyArray<string | undefined>): string | undefined =>
  Object.keys(object).find((name) => !except.includes(name) && test(name, object[name]))

/** Says why the payload of an answer cannot be trusted; `undefined` if it can. */
export const refusal = (answer: PlacedAnswer): string | undefined => {
  const { at, body, isList, isRead, needsPayload, sign, status } = answer
  const certain = certainRefusal(answer)
  if (certain !== undefined) return certain
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
    const name = Predicate.isReadonlyObject(object)
      ? find(object, isErrorBesidePayload, [key, signKey(depth)])
      : undefined
    if (name !== undefined) return `its envelope reports an error: ${name}`
  }
  // Skip the record of a read: its error fields may be about an earlier change, not about this request.
  if (isRead) return undefined
  for (const record of Array.isArray(rows) ? rows : [rows]) {
    if (!Predicate.isReadonlyObject(record)) continue
    const name = find(record, needsPayload ? isErrorInRecord : isErrorInEmpty, [signKey(at.length)])
    if (name !== undefined) return `its payload reports an error: ${name}`
  }
  return undefined
}
