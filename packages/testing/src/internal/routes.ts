/** Finds the operation of a method and a path, under any base path. */
import { CustodyApi } from "@effect-custody/sdk"

const routes = CustodyApi.operations
  .map(({ method, name, path }) => {
    const segments = path.split("/").slice(1)
    const fixed = segments.filter((segment) => !segment.startsWith(":")).length
    return { method, name, segments, fixed }
  })
  // `/vaults/assets` before `/assets`, `/tokens/networks` before `/tokens/:tokenId`.
  .sort((a, b) => b.segments.length - a.segments.length || b.fixed - a.fixed)

/** Whether a path ends with the segments of a route. */
const endsWith = (path: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean => {
  const before = path.length - segments.length
  // What stands before the first slash is no segment.
  if (before < 1) return false
  return segments.every((segment, at) =>
    segment.startsWith(":") ? path[before + at] !== "" : path[before + at] === segment
  )
}

/** The operation of a request. Undefined if the API has no such path. */
export const operationOf = (method: string, path: string): string | undefined => {
  const given = path.split("/")
  return routes.find((route) => route.method === method && endsWith(given, route.segments))?.name
}

/** The part of a path that is the operation's, without the base path. */
export const pathFrom = (operation: string, path: string): string => {
  const count = routes.find(({ name }) => name === operation)?.segments.length ?? 0
  return `/${path.split("/").slice(-count).join("/")}`
}
