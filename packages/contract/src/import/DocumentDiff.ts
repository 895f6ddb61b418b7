/** Compares two versions of a document. Pure. */
import { type ApiDocument, type ApiOperation, type Field, isParameter, mapSegments, formatRoute } from "./model.ts"

export interface Change {
  readonly operation: string
  readonly kind: "added" | "removed" | "changed"
  /** The removed (`-`) and the added (`+`) parts of the operation. */
  readonly details: ReadonlyArray<string>
}

/** Removes the names of the parameters from a route or a path, because a new name changes nothing on the wire. */
export const withoutNames = (route: string): string =>
  mapSegments(route, (segment) => (isParameter(segment) ? ":" : segment))

const describeField = ({ explode, format = "", isRequired, path, type, values = [] }: Field): string =>
  [
    `${path || "root"}: ${type}`,
    explode === undefined ? "" : `explode ${explode}`,
    format,
    isRequired === true ? "required" : "",
    values.length > 0 ? `of ${values.join(", ")}` : ""
  ]
    .filter((part) => part !== "")
    .join(" ")

const describe = (operation: ApiOperation): ReadonlyArray<string> => [
  ...(operation.contentType === undefined ? [] : [`content type ${operation.contentType}`]),
  ...operation.success.map((status) => `success ${status}`),
  ...(["query", "body", "answer"] as const).flatMap((part) =>
    operation[part].map((field) => `${part} ${describeField(field)}`)
  )
]

const compare = (before: ApiOperation, after: ApiOperation): ReadonlyArray<string> => {
  const [old, now] = [describe(before), describe(after)]
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)
  ]
}

const byRoute = ({ operations }: ApiDocument) =>
  new Map(operations.map((operation) => [withoutNames(formatRoute(operation)), operation]))

/** Lists the differences: first the removed operations, then the other operations in the order of `after`. */
export const diff = (before: ApiDocument, after: ApiDocument): ReadonlyArray<Change> => {
  const [old, now] = [byRoute(before), byRoute(after)]
  const gone = [...old].filter(([route]) => !now.has(route))
  return [
    ...gone.map(([, operation]): Change => ({ operation: formatRoute(operation), kind: "removed", details: [] })),
    ...[...now].flatMap(([route, operation]): ReadonlyArray<Change> => {
      const same = old.get(route)
      const details = same === undefined ? [] : compare(same, operation)
      if (same !== undefined && details.length === 0) return []
      return [{ operation: formatRoute(operation), kind: same === undefined ? "added" : "changed", details }]
    })
  ]
}
