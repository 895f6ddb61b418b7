/**
 * Recognises an error that is sent with the status of a success. Its list may be empty because the service failed to read
 * it. A program that looks for a payment in such a list does not find it, and pays again. Pure.
 */
import * as Predicate from "effect/Predicate"

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
const isNothing: Says = (value) =>
  Predicate.isObjectOrArray(value)
    ? Object.keys(value).length === 0
    : value === undefined || value === null || isFalse(value) || isWord(/^0*$/)(value)
const isSomething: Says = (value) => !isNothing(value)
const isCodeOfSuccess = isWord(/^(?:0*|200|ok|success)$/i)
const isCodeOfError: Says = (value) => isSomething(value) && !isCodeOfSuccess(value)

/** Fields beside a list that show an error, and with which values. The names are in lower case, without `-` and `_`. */
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

/** Fields that show an error only beside an empty list, because some services have codes of success that nobody knows. */
const errorsOfEmpty: ReadonlyMap<string, Says> = new Map(
  ["code", "retcode", "errno"].map((name) => [
    name,
    (value) => (typeof value === "string" || typeof value === "number") && isCodeOfError(value)
  ])
)

const saysError = (name: string, value: unknown, isEmpty: boolean): boolean => {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, "")
  return errors.get(plain)?.(value) === true || (isEmpty && errorsOfEmpty.get(plain)?.(value) === true)
}

/** Statuses that HTTP defines for work that is not done yet, or for a part of a whole. */
const unfinished: ReadonlySet<number> = new Set([202, 206, 207])

export interface Answer {
  readonly status: number
  /** Whether the contract names the status as one of a success. */
  readonly isStatusNamed: boolean
  readonly body: unknown
  /** The keys to the payload; none where it is the body. */
  readonly at: ReadonlyArray<string>
}

/** An object on the path to the rows, and the next key of the path. */
type Around = readonly [object: object, key: string]

/** Why the list of an answer cannot be trusted; `undefined` if it can. */
export const refusal = ({ at, body, isStatusNamed, status }: Answer): string | undefined => {
  if (unfinished.has(status) && !isStatusNamed) return "the status does not say that the list is whole"
  const way: Array<Around> = []
  let found = body
  for (const key of at) {
    if (!Predicate.isObjectOrArray(found) || !Object.hasOwn(found, key)) return undefined
    way.push([found, key])
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  const { holder, rows } = rowsOf(found)
  if (holder !== undefined) way.push([holder, "items"])
  const isEmpty = rows === null || (Array.isArray(rows) && rows.length === 0)
  const says = way.flatMap(([object, key]) =>
    Object.entries(object).filter(([name, value]) => name !== key && saysError(name, value, isEmpty))
  )
  return says.length === 0 ? undefined : `the envelope of the list says an error: ${says[0]![0]}`
}

/** The rows of a list, and the object around them if they are its `items`. */
export interface Rows {
  readonly rows: unknown
  readonly holder: Readonly<Record<string, unknown>> | undefined
}

/** Takes the rows out of `{ items: [...] }`. */
export const rowsOf = (found: unknown): Rows =>
  Predicate.isReadonlyObject(found) && Array.isArray(found["items"])
    ? { rows: found["items"], holder: found }
    : { rows: found, holder: undefined }
