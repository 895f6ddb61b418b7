/**
 * Recognises an error that is sent with the status of a success. A program that takes the list beside it for an empty one
 * pays again, and a change beside it may not have been made. Pure.
 */
import * as Predicate from "effect/Predicate"
import * as Path from "../json/JsonPath.ts"
import { isErrorCode } from "../errors/ErrorAnswer.ts"
import { readRows } from "./ListAnswer.ts"
import { isBodiless } from "./MissingPayload.ts"

export const isErrorStatus = (status: unknown): boolean =>
  (typeof status === "number" || typeof status === "string") && /^[45]\d\d$/.test(String(status))

/** Statuses that HTTP defines for work that is not done yet, or for a part of a whole. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

/** The key in our envelope of the reason why the answer cannot be read: no JSON can contain a symbol. */
export const unreadable: unique symbol = Symbol.for("@effect-custody/core/unreadable")

export interface Answer {
  readonly status: number
  /** Its JSON; `undefined` where it has none. */
  readonly body: unknown
  /** Whether the contract names the status as one of a success. */
  readonly isStatusNamed: boolean
  readonly isList: boolean
  readonly isRead: boolean
}

/** Where a contract says that an answer is a success, and by which values. */
export interface Sign {
  readonly at: Path.Segments
  readonly success: ReadonlyArray<unknown>
}

export interface Placed extends Answer {
  /** Whether the operation promises something in its payload, such as an id. */
  readonly needsPayload: boolean
  /** The keys to the payload; none where it is the body. */
  readonly at: ReadonlyArray<string>
  readonly sign?: Sign | undefined
}

/** Why an answer is certainly not a success, wherever its payload is: it is the specification's error body, or a part. */
export const certainRefusal = ({ body, isList, isRead, isStatusNamed, status }: Answer): string | undefined => {
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

/** A status of a success: 200 to 299, or a word for it. */
const isWell = (status: unknown): boolean =>
  !Predicate.isObjectOrArray(status) &&
  /^(?:2\d\d|true|ok|success(?:ful)?|succeeded|accepted|created|completed?|done)$/i.test(String(status))

type Says = (name: string, value: unknown) => boolean

const tells: Says = (name, value) =>
  (/^err|error|exception|fail/i.test(name) && !isBlank(value) && !isNo(value)) ||
  (/^(?:is_?)?(?:ok|success(?:ful)?|succeeded)$/i.test(name) && isNo(value))

/** In the record of a change that promises something, only these speak of the request. */
const inRecord: Says = (name, value) =>
  (name === "success" && value === false) || (name === "code" && isErrorCode(value))

/** In the answer to a change that promises nothing, an error has no other place. */
const inNothing: Says = (name, value) => inRecord(name, value) || tells(name, value)

const besidePayload: Says = (name, value) =>
  (name === "status" && !isBlank(value) && !isWell(value)) || inNothing(name, value)

const find = (object: object, says: Says, except: ReadonlyArray<string | undefined>): string | undefined =>
  Object.entries(object).find(([name, value]) => !except.includes(name) && says(name, value))?.[0]

/** Why the payload of an answer cannot be trusted; `undefined` if it can. */
export const refusal = (answer: Placed): string | undefined => {
  const { at, body, isList, isRead, needsPayload, sign, status } = answer
  const certain = certainRefusal(answer)
  if (certain !== undefined) return certain
  if (sign !== undefined && !isBodiless(status) && !sign.success.includes(Path.at(body, sign.at))) {
    return `its envelope reports an error: ${sign.at.join(".")}`
  }
  // The contract knows what the field with its sign means.
  const signed = (depth: number): string | undefined =>
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
    const said = Predicate.isReadonlyObject(object) ? find(object, besidePayload, [key, signed(depth)]) : undefined
    if (said !== undefined) return `its envelope reports an error: ${said}`
  }
  // Only the answer to a change is about what was asked: what is read has a past of its own.
  if (isRead) return undefined
  for (const record of Array.isArray(rows) ? rows : [rows]) {
    if (!Predicate.isReadonlyObject(record)) continue
    const said = find(record, needsPayload ? inRecord : inNothing, [signed(at.length)])
    if (said !== undefined) return `its payload reports an error: ${said}`
  }
  return undefined
}
