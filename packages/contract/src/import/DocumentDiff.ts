/** Compares two versions of a document. Pure. */
import { type ApiDocument, type ApiOperation, type Field, isParameter, mapSegments, formatRoute } from "./model.ts"

export interface Change {
  readonly operation: string
  readonly kind: "added" | "removed" | "changed"
  readonly details: ReadonlyArray<string>
}

/** Removes the names of the parameters from a route or a path, because a new name changes nothing on the wire. */
export const withoutNames = (route: string): string =>
  mapSegments(route, (segment) => (isParameter(segment) ? ":" : segment))

const describe = ({ format, isRequired, type, values }: Field): string =>
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
      if (same === undefined) return [`${name} is new: ${describe(field)}`]
      return describe(same) === describe(field) ? [] : [`${name} was ${describe(same)}, is now ${describe(field)}`]
    })
  ]
}

const valueChange = (name: string, before = "none", after = "none"): ReadonlyArray<string> =>
  before === after ? [] : [`${name} was ${before}, is now ${after}`]

const compare = (before: ApiOperation, after: ApiOperation): ReadonlyArray<string> => [
  ...valueChange("content type", before.contentType, after.contentType),
  ...valueChange("success", before.success.join(", "), after.success.join(", ")),
  ...fieldChanges("query", before.query, after.query),
  ...fieldChanges("body", before.body, after.body),
  ...fieldChanges("answer", before.answer, after.answer)
]

/** Lists the differences: first the removed operations, then the others in the order of `after`. */
export const diff = (before: ApiDocument, after: ApiDocument): ReadonlyArray<Change> => {
  const byRoute = ({ operations }: ApiDocument) =>
    new Map(operations.map((operation) => [withoutNames(formatRoute(operation)), operation]))
  const [old, now] = [byRoute(before), byRoute(after)]
  const change = (kind: Change["kind"], operation: ApiOperation, details: Change["details"] = []): Change => ({
    operation: formatRoute(operation),
    kind,
    details
  })
  const gone = [...old].flatMap(([route, operation]) => (now.has(route) ? [] : [change("removed", operation)]))
  const others = [...now].flatMap(([route, operation]) => {
    const same = old.get(route)
    if (same === undefined) return [change("added", operation)]
    const details = compare(same, operation)
    return details.length === 0 ? [] : [change("changed", operation, details)]
  })
  return [...gone, ...others]
}
