/** What the code of a contract gives, checked: it may throw, return a promise, or return what cannot be sent. Pure. */
import { constVoid } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { CodeRequest, Issue } from "../../Wire.ts"
import { objectionsTo } from "../input.ts"
import { isHeaderValue } from "../requestHeaders.ts"
import * as Upload from "../upload.ts"
import { garbled, isSegment } from "./wire.ts"
import { parametersOf } from "./withDefaults.ts"

type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a promise. Nobody waits for it, so its rejection must not end the process. */
const isPromise = (value: unknown): boolean => {
  if (!Predicate.isPromiseLike(value)) return false
  value.then(constVoid, constVoid)
  return true
}

const sync = <A>(value: A): A => {
  if (isPromise(value)) throw new Error("the code of the contract returned a promise, and nothing waits for it")
  return value
}

/** What an error of the code says. It may be anything, and reading it may throw. */
const messageOf = (error: unknown): string | undefined =>
  Result.getOrUndefined(
    Result.try(() => {
      const message = error instanceof Error ? error.message : undefined
      return typeof message === "string" ? message : undefined
    })
  )

/** What the code of a contract returns, or why it is of no use. */
export const said = <A>(ask: () => A): Result.Result<A, string> =>
  Result.try({
    try: () => sync(ask()),
    catch: (error) => messageOf(error) ?? "the code of the contract failed"
  })

/** Whether a value is an object of fields: no `Effect`, `Result`, or other instance, which may stand for a failure. */
const isPlain = (value: unknown): value is Fields => {
  if (!Predicate.isReadonlyObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A value whose fields have all been read once, because a getter may throw. */
const settled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(settled)
  if (!isPlain(sync(value))) return value
  return Object.fromEntries(Object.entries(value as Fields).map(([name, each]) => [name, settled(each)]))
}

/** The payload that code gave. Throws if it is none. */
export const payload = (value: unknown): unknown => {
  const read = settled(value)
  if (typeof read === "function" || (Predicate.isReadonlyObject(read) && !isPlain(read)))
    throw new Error("the code of the contract returned no JSON")
  return read
}

/** Why a value cannot be sent as text. */
const unsendable = (value: unknown): string | undefined => {
  if (isPromise(value)) return "is a promise, and nothing waits for it"
  if (typeof value === "function" || typeof value === "symbol") return `is a ${typeof value}`
  return typeof value === "number" && !Number.isFinite(value) ? `is ${value}` : undefined
}

const unwritable = (value: unknown): string | undefined =>
  typeof value === "bigint" ? "is a BigInt, which JSON does not have: give a number or a text" : unsendable(value)

/** A value as JSON, or why it has none. `undefined` has none either, and no issue. */
const inJson = (value: unknown, name: string): { readonly text?: string; readonly issues: ReadonlyArray<Issue> } => {
  const issues: Array<Issue> = []
  const paths = new Map<unknown, ReadonlyArray<string>>()
  const check = function (this: unknown, key: string, each: unknown): unknown {
    const above = paths.get(this)
    const path = above === undefined ? [name] : [...above, key]
    const message = unwritable(each)
    if (message !== undefined) issues.push({ path, message })
    if (Predicate.isObjectOrArray(each)) paths.set(each, path)
    return message === undefined ? each : null
  }
  const text = Result.try({
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the code says what it sends.
    try: () => JSON.stringify(value, check),
    catch: (error) => messageOf(error)?.split("\n")[0] ?? "its code failed"
  })
  return Result.isSuccess(text)
    ? { text: text.success, issues }
    : { issues: [...issues, { path: [name], message: `cannot be written as JSON: ${text.failure}` }] }
}

/** Why the fields of a part cannot be sent. One that is `undefined` is left out. */
const objections = (fields: Fields, object: (value: unknown) => string | undefined): ReadonlyArray<Issue> =>
  objectionsTo(fields, (value) => (value === undefined ? undefined : object(value)))

const notText = "must be a text"

const inHeader = (value: unknown): string | undefined =>
  typeof value !== "string" ? notText : isHeaderValue(value) ? undefined : "cannot be sent in a header"

const inQuery = (value: unknown): string | undefined =>
  (Array.isArray(value) ? value : [value])
    .map((each) => unsendable(each) ?? garbled(each))
    .find(Predicate.isNotUndefined)

const inPath = (value: unknown): string | undefined =>
  typeof value !== "string"
    ? `${notText} that is a segment of the path`
    : isSegment(value)
      ? undefined
      : "cannot be a segment of a path"

/** A field of `multipart/form-data`, which is a file, a text, or a value as JSON. */
const inMultipart = ([name, value]: readonly [string, unknown]): ReadonlyArray<Issue> => {
  if (!Upload.isFile(value) && typeof value !== "string") return inJson(value, name).issues
  const message = Upload.unsendable(value)
  return message === undefined ? [] : [{ path: [name], message }]
}

/** A request that can be sent, and its body as JSON where it has one. */
export interface Sendable {
  readonly params: Readonly<Record<string, string>>
  readonly query: Fields
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly text: string | undefined
}

const parts = ["params", "query", "headers"] as const

/** The request that code gave, or what of it cannot be sent. */
export const sendable = (
  request: CodeRequest,
  { isMultipart, path }: { readonly path: string; readonly isMultipart: boolean }
): Result.Result<Sendable, ReadonlyArray<Issue>> => {
  if (!isPlain(request)) return Result.fail([{ path: [], message: "the code of the contract returned no request" }])
  const { body, headers = {}, params = {}, query = {} } = request as CodeRequest
  const wrong = parts.filter((part) => !Predicate.isReadonlyObject({ headers, params, query }[part]))
  if (wrong.length > 0) return Result.fail(wrong.map((part) => ({ path: [part], message: "must be an object" })))
  const isForm = isMultipart && Predicate.isReadonlyObject(body)
  const json = isForm ? { issues: Object.entries(body).flatMap(inMultipart) } : inJson(body, "body")
  const issues = [
    ...parametersOf(path).flatMap((name) => {
      const message = inPath(params[name])
      return message === undefined ? [] : [{ path: [name], message }]
    }),
    ...objections(headers, inHeader),
    ...objections(query, inQuery),
    ...json.issues
  ]
  return issues.length > 0
    ? Result.fail(issues)
    : Result.succeed({ params, query, headers, body, text: "text" in json ? json.text : undefined })
}
