/** What a new version of a document changes. Pure. */
import { type ApiDocument, type ApiOperation, type Field, isParameter, mapSegments, routeOf } from "./document/model.ts"

export interface Change {
  readonly operation: string
  readonly kind: "added" | "removed" | "changed"
  readonly details: ReadonlyArray<string>
}

/** A route or a path without the names of its parameters, because another name changes nothing on the wire. */
export const templateOf = (route: string): string =>
  mapSegments(route, (segment) => (isParameter(segment) ? ":" : segment))

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
  const now = new Set(after.map(({ path }) => path))
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

const valueChange = (what: string, before = "none", after = "none"): ReadonlyArray<string> =>
  before === after ? [] : [`${what} was ${before}, is now ${after}`]

const changesOf = (before: ApiOperation, after: ApiOperation): ReadonlyArray<string> => [
  ...valueChange("content type", before.contentType, after.contentType),
  ...valueChange("success", before.success.join(", "), after.success.join(", ")),
  ...fieldChanges("query", before.query, after.query),
  ...fieldChanges("body", before.body, after.body),
  ...fieldChanges("answer", before.answer, after.answer)
]

/** Everything that is different, in the order of the documents. */
export const diff = (before: ApiDocument, after: ApiDocument): ReadonlyArray<Change> => {
  const byRoute = ({ operations }: ApiDocument) =>
    new Map(operations.map((operation) => [templateOf(routeOf(operation)), operation]))
  const [old, now] = [byRoute(before), byRoute(after)]
  const change = (kind: Change["kind"], operation: ApiOperation, details: Change["details"] = []): Change => ({
    operation: routeOf(operation),
    kind,
    details
  })
  const gone = [...old].flatMap(([route, operation]) => (now.has(route) ? [] : [change("removed", operation)]))
  const others = [...now].flatMap(([route, operation]) => {
    const same = old.get(route)
    if (same === undefined) return [change("added", operation)]
    const details = changesOf(same, operation)
    return details.length === 0 ? [] : [change("changed", operation, details)]
  })
  return [...gone, ...others]
}
