/**
 * Recognises an error that is sent with the status of a success. The list beside it may be empty because the service
 * failed to read it: a program that looks for a payment in such a list does not find it, and pays again. A change beside
 * it may not have been made. Pure.
 */
import * as Equal from "effect/Equal"
import * as Predicate from "effect/Predicate"
import * as ErrorSigns from "./errorSigns.ts"
import { rowsOf } from "./listAnswer.ts"

/**
 * The key in our envelope that holds the reason why the answer cannot be read. It is a symbol, which no JSON answer can
 * contain.
 */
export const unreadable: unique symbol = Symbol.for("@effect-custody/core/unreadable")

/** Statuses that HTTP defines for work that is not done yet, or for a part of a whole. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

export interface Answer {
  readonly status: number
  /** Whether the contract names the status as one of a success. */
  readonly isStatusNamed: boolean
  readonly isList: boolean
  readonly isRead: boolean
  readonly body: unknown
}

/** An answer whose payload has a place that is known. */
export interface Placed extends Answer {
  /** Whether the operation promises something in its payload, such as an id. */
  readonly needsPayload: boolean
  /** The keys to the payload; none where it is the body. */
  readonly at: ReadonlyArray<string>
  /** The input that the answer is for. */
  readonly sent: unknown
}

const ofPart = ({ isList, isRead, isStatusNamed, status }: Answer): string | undefined =>
  isList && isRead && unfinished.has(status) && !isStatusNamed
    ? "the status does not say that the list is complete"
    : undefined

/** Why an envelope says by its status or its code that it is an error. */
export const contradiction = (envelope: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(envelope)) return undefined
  const { code, status } = envelope
  const said = [
    ...(ErrorSigns.isErrorStatus(status) ? [`HTTP ${String(status)}`] : []),
    ...(ErrorSigns.isErrorCode(code) ? [String(code)] : [])
  ]
  return said.length === 0 ? undefined : `its envelope says ${said.join(", ")}`
}

/** Why an answer is certainly not a success, wherever its payload is: it is the specification's error body, or a part. */
export const unmistakable = (answer: Answer): string | undefined => {
  const { body } = answer
  const isErrorBody =
    Predicate.isReadonlyObject(body) && ErrorSigns.isErrorStatus(body["status"]) && ErrorSigns.isErrorCode(body["code"])
  return ofPart(answer) ?? (isErrorBody ? contradiction(body) : undefined)
}

const isBlank = (value: unknown): boolean =>
  Predicate.isObjectOrArray(value) ? Object.keys(value).length === 0 : value === undefined || value === null

/** How deep an input is searched for what a service repeats. */
const deepest = 4

/** Whether a field of an answer is one that was sent, such as `errors` in the metadata of a token. */
const isSent = (sent: unknown, name: string, value: unknown, depth = 0): boolean =>
  Predicate.isReadonlyObject(sent) &&
  depth <= deepest &&
  ((Object.hasOwn(sent, name) && Equal.equals(sent[name], value)) ||
    Object.values(sent).some((each) => isSent(each, name, value, depth + 1)))

/** An object on the path to the payload, and the next key of the path. */
type Around = readonly [object: object, key: string]

/** Why the payload of an answer cannot be trusted; `undefined` if it can. */
export const refusal = (answer: Placed): string | undefined => {
  const { at, body, isList, isRead, needsPayload, sent } = answer
  const part = ofPart(answer)
  if (part !== undefined) return part
  const way: Array<Around> = []
  let found = body
  for (const key of at) {
    if (!Predicate.isObjectOrArray(found) || !Object.hasOwn(found, key)) return undefined
    way.push([found, key])
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  const { holder, rows } = isList ? rowsOf(found) : { holder: undefined, rows: found }
  if (holder !== undefined) way.push([holder, "items"])
  const isEmpty = isBlank(rows)
  for (const [object, key] of way) {
    const said = ErrorSigns.beside(object, { key, isEmpty })
    if (said !== undefined) return `its envelope reports an error: ${said}`
  }
  // Only the answer to a change is about what was asked: what is read has a past of its own.
  if (isRead) return undefined
  for (const record of Array.isArray(rows) ? rows : [rows]) {
    if (!Predicate.isReadonlyObject(record)) continue
    const said = ErrorSigns.inside(record, {
      isEcho: (name) => isSent(sent, name, record[name]),
      isPromised: needsPayload
    })
    if (said !== undefined) return `its payload reports an error: ${said}`
  }
  return undefined
}
