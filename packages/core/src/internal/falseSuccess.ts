/**
 * Recognises an error that is sent with the status of a success. The list beside it may be empty because the service
 * failed to read it: a program that looks for a payment in such a list does not find it, and pays again. A change beside
 * it may not have been made. Pure.
 */
import * as Predicate from "effect/Predicate"
import { rowsOf } from "./listAnswer.ts"

/**
 * The key in our envelope that holds the reason why the answer cannot be read. It is a symbol, which no JSON answer can
 * contain.
 */
export const unreadable: unique symbol = Symbol.for("@effect-custody/core/unreadable")

type Says = (value: unknown) => boolean

const isWord =
  (words: RegExp): Says =>
  (value) =>
    (typeof value === "string" || typeof value === "number") && words.test(String(value))

const isFlag =
  (flag: boolean): Says =>
  (value) =>
    value === flag || (typeof value === "string" && value.toLowerCase() === String(flag))

const isFalse = isFlag(false)
const isBlank: Says = (value) =>
  Predicate.isObjectOrArray(value) ? Object.keys(value).length === 0 : value === undefined || value === null
const isNoError = isWord(/^(?:0*|none|null|no[ _-]?errors?|ok|success)$/i)
const isSomething: Says = (value) => !isBlank(value) && !isFalse(value) && !isNoError(value)
const isCodeOfSuccess = isWord(/^(?:0*|200|ok|success)$/i)
const isCodeOfError: Says = (value) => isSomething(value) && !isCodeOfSuccess(value)

/** Fields beside a payload that show an error, and with which values. The names are in lower case, without `-` and `_`. */
const errors: ReadonlyMap<string, Says> = new Map([
  ["success", isFalse],
  ["ok", isFalse],
  ["succeeded", isFalse],
  ["status", isWord(/^(?:[45]\d\d|error|fail|failed|failure|ko)$/i)],
  ["statuscode", isWord(/^(?:[4-9]\d\d|[1-9]\d{3,})$/)],
  ["error", isSomething],
  ["errors", isSomething],
  ["errcode", isCodeOfError],
  ["errorcode", isCodeOfError],
  ["timedout", isFlag(true)]
])

/** Fields that show an error only beside an empty payload, because some services have codes of success that nobody knows. */
const errorsOfEmpty: ReadonlyMap<string, Says> = new Map(
  ["code", "retcode", "errno"].map((name) => [
    name,
    (value) => (typeof value === "string" || typeof value === "number") && isCodeOfError(value)
  ])
)

const isPlain = (name: string): boolean => !/[^a-z]/.test(name)

const plainOf = (name: string): string => (isPlain(name) ? name : name.toLowerCase().replaceAll(/[-_]/g, ""))

const saysError = (name: string, value: unknown, isEmpty: boolean): boolean =>
  errors.get(name)?.(value) === true || (isEmpty && errorsOfEmpty.get(name)?.(value) === true)

/** Statuses that HTTP defines for work that is not done yet, or for a part of a whole. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

export interface Answer {
  readonly status: number
  /** Whether the contract names the status as one of a success. */
  readonly isStatusNamed: boolean
  readonly isList: boolean
  readonly isRead: boolean
  /** Whether the operation promises something in its payload, such as an id. */
  readonly needsPayload: boolean
  readonly body: unknown
  /** The keys to the payload; none where it is the body. */
  readonly at: ReadonlyArray<string>
}

/** An object on the path to the payload, and the next key of the path. */
type Around = readonly [object: object, key: string]

/** Fields of a record that may be about its own past. */
const ofRecord: ReadonlySet<string> = new Set(["status", "statuscode"])

/** Why the payload of an answer cannot be trusted; `undefined` if it can. */
export const refusal = (answer: Answer): string | undefined => {
  const { at, body, isList, isRead, isStatusNamed, needsPayload, status } = answer
  if (isList && isRead && unfinished.has(status) && !isStatusNamed) {
    return "the status does not say that the list is complete"
  }
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
    const said = Object.entries(object).find(
      ([name, value]) => name !== key && saysError(plainOf(name), value, isEmpty)
    )
    if (said !== undefined) return `its envelope reports an error: ${said[0]}`
  }
  // The payload of a change that promises nothing may be the error itself.
  if (isRead || needsPayload || !Predicate.isReadonlyObject(found)) return undefined
  const [said] = Object.entries(found).find(([name, value]) => {
    const plain = plainOf(name)
    return !ofRecord.has(plain) && saysError(plain, value, false)
  }) ?? [undefined]
  return said === undefined ? undefined : `its payload reports an error: ${said}`
}
