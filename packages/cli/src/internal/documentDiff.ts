/** What a new version of a document changes. Pure. */
import type { ApiDocument, ApiOperation, Field } from "./document/model.ts"

/** One change to an operation of the document. */
export interface Change {
  /** Such as `POST /payouts`. */
  readonly operation: string
  readonly kind: "added" | "removed" | "changed"
  readonly details: ReadonlyArray<string>
}

const routeOf = ({ method, path }: ApiOperation): string => `${method} ${path}`

/** A path without the names of its parameters, because another name changes nothing on the wire. */
export const templateOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? ":" : segment))
    .join("/")

const keyOf = ({ method, path }: ApiOperation): string => `${method} ${templateOf(path)}`

const described = ({ format, isRequired, type, values }: Field): string =>
  [
    type,
    format,
    isRequired === true ? "required" : undefined,
    values === undefined ? undefined : `one of ${values.join(", ")}`
  ]
    .filter((part) => part !== undefined)
    .join(" ")

const fieldChanges = (
  where: string,
  before: ReadonlyArray<Field>,
  after: ReadonlyArray<Field>
): ReadonlyArray<string> => {
  const old = new Map(before.map((field) => [field.path, field]))
  const now = new Map(after.map((field) => [field.path, field]))
  return [
    ...before.filter(({ path }) => !now.has(path)).map(({ path }) => `${where} ${path || "root"} was removed`),
    ...after.flatMap((field) => {
      const name = `${where} ${field.path || "root"}`
      const same = old.get(field.path)
      if (same === undefined) return [`${name} is new: ${described(field)}`]
      return described(same) === described(field) ? [] : [`${name} was ${described(same)}, is now ${described(field)}`]
    })
  ]
}

const changesOf = (before: ApiOperation, after: ApiOperation): ReadonlyArray<string> => [
  ...(before.contentType === after.contentType
    ? []
    : [`content type was ${before.contentType ?? "none"}, is now ${after.contentType ?? "none"}`]),
  ...(before.success.join() === after.success.join()
    ? []
    : [`success statuses were ${before.success.join(", ")}, are now ${after.success.join(", ")}`]),
  ...fieldChanges("query", before.query, after.query),
  ...fieldChanges("body", before.body, after.body),
  ...fieldChanges("answer", before.answer, after.answer)
]

/** Everything that is different, in the order of the documents. */
export const diff = (before: ApiDocument, after: ApiDocument): ReadonlyArray<Change> => {
  const old = new Map(before.operations.map((operation) => [keyOf(operation), operation]))
  const now = new Map(after.operations.map((operation) => [keyOf(operation), operation]))
  const gone = before.operations
    .filter((operation) => !now.has(keyOf(operation)))
    .map((operation): Change => ({ operation: routeOf(operation), kind: "removed", details: [] }))
  const others = after.operations.flatMap((operation): ReadonlyArray<Change> => {
    const same = old.get(keyOf(operation))
    if (same === undefined) return [{ operation: routeOf(operation), kind: "added", details: [] }]
    const details = changesOf(same, operation)
    return details.length === 0 ? [] : [{ operation: routeOf(operation), kind: "changed", details }]
  })
  return [...gone, ...others]
}
