/** Finds the operation of a method and a path, under any base path. */
import { CustodyApi } from "@effect-custody/sdk"

const routes = CustodyApi.operations
  .map(({ method, name, path }) => {
    const segments = path.split("/").slice(1)
    const fixed = segments.filter((segment) => !segment.startsWith(":")).length
    const pattern = segments.map((segment) => (segment.startsWith(":") ? "[^/]+" : segment)).join("/")
    return { method, name, length: segments.length, fixed, pattern: new RegExp(`/${pattern}$`) }
  })
  // `/vaults/assets` before `/assets`, `/tokens/networks` before `/tokens/:tokenId`.
  .sort((a, b) => b.length - a.length || b.fixed - a.fixed)

/** The operation of a request. Undefined if the API has no such path. */
export const operationOf = (method: string, path: string): string | undefined =>
  routes.find((route) => route.method === method && route.pattern.test(path))?.name
