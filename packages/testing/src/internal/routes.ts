/** Finds the operation of a method and a path, under any base path, by the assumed routes. */
import { functions } from "@effect-custody/sdk/Operations"

/** `true` if a path ends with the segments of a route. */
const endsWith = (path: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean => {
  const before = path.length - segments.length
  // The text before the first slash is not a segment.
  if (before < 1) return false
  return segments.every((segment, at) => (segment === ":" ? path[before + at] !== "" : path[before + at] === segment))
}

const routes = [...functions.values()]
  .map(({ operation, route: { method, path } }) => {
    const segments = path
      .split("/")
      .slice(1)
      .map((segment) => (segment.startsWith(":") ? ":" : segment))
    return { method, name: operation, segments, fixed: segments.filter((segment) => segment !== ":").length }
  })
  // `/vaults/assets` before `/assets`, `/tokens/networks` before `/tokens/:tokenId`.
  .sort((a, b) => b.segments.length - a.segments.length || b.fixed - a.fixed)

/** Finds the operation of a request, and the part of the path that belongs to it. */
export const find = (
  method: string,
  path: string
): { readonly operation: string | undefined; readonly path: string } => {
  const given = path.split("/")
  const found = routes.find((route) => route.method === method && endsWith(given, route.segments))
  return found === undefined
    ? { operation: undefined, path }
    : { operation: found.name, path: `/${given.slice(-found.segments.length).join("/")}` }
}

/** `true` for an operation that exchanges secrets. */
export const isAuthentication = (operation: string | undefined): boolean =>
  operation?.startsWith("authentication.") === true
