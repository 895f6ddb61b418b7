/** Writes the query of a page, and finds the next page. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults } from "../language/ContractFile.ts"
import { notPagedByCursor } from "@effect-custody/core/AssumedWire"
import { readFlag, isFlag, metaNames } from "@effect-custody/core/ListAnswer"
import * as Path from "./path.ts"

export interface PageRequest {
  readonly page: number | undefined
  readonly limit: number | undefined
  /** The cursor from the previous page's answer. */
  readonly cursor: string | undefined
  /** The base address of the service. */
  readonly baseUrl?: string | undefined
}

type Query = ReadonlyArray<readonly [name: string, value: string]>
type QueryFields = Readonly<Record<string, unknown>>

export interface PagingWire {
  readonly names: ReadonlyArray<string>
  /** Writes the query of a page, or fails with the reason why no query can request it. */
  readonly query: (request: PageRequest) => Result.Result<Query, string>
  /** Reads the page from a query: the inverse of {@link query}. */
  readonly parseQuery: (query: QueryFields) => Pick<PageRequest, "page" | "limit">
  /** Reads the cursor of the next page from an answer. Fails with a reason if the answer is unusable. */
  readonly next: (body: unknown, request: PageRequest, count: number) => Result.Result<string | undefined, string>
  /** The path of the next page's cursor in an answer. An answer without a cursor at this path is the last page. */
  readonly nextAt: Path.Segments | undefined
  /** The value at `nextAt` that leads to a page, for an emulator. */
  readonly writeNext?: (page: number, query: QueryFields) => string
  readonly first: 0 | 1
}

const defaultLimit = 10

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/**
 * The next page's cursor. A value of the wrong type is an error, not the end of the list, because more pages may
 * follow.
 */
const cursorAt = (body: unknown, path: Path.Segments): Result.Result<string | undefined, string> => {
  const value = Path.at(body, path)
  if (value === undefined || value === null || value === false || value === "") return Result.succeed(undefined)
  return typeof value === "string" || typeof value === "number"
    ? Result.succeed(String(value))
    : Result.fail(`${path.join(".")} does not say where the next page is`)
}

const optional = (name: string, value: number | string | undefined): Query =>
  value === undefined ? [] : [[name, String(value)]]

const noNext = () => Result.succeed(undefined)

const whole: PagingWire = {
  names: [],
  query: ({ cursor, page = 1 }) =>
    page > 1 || cursor !== undefined ? Result.fail("the list is whole: it has one page") : Result.succeed([]),
  parseQuery: () => ({ page: 1, limit: Number.MAX_SAFE_INTEGER }),
  next: noNext,
  nextAt: [],
  first: 1
}

const byPage = (page: string, size: string, first: 0 | 1): PagingWire => ({
  names: [page, size],
  query: (request) =>
    request.cursor === undefined
      ? Result.succeed([
          ...optional(page, request.page === undefined ? undefined : request.page - 1 + first),
          ...optional(size, request.limit)
        ])
      : Result.fail(notPagedByCursor),
  parseQuery: (query) => ({ page: (numberIn(query[page]) ?? first) - first + 1, limit: numberIn(query[size]) }),
  next: noNext,
  nextAt: undefined,
  first
})

const byOffset = (offset: string, size: string): PagingWire => {
  const findOffset = ({ cursor, limit = defaultLimit, page = 1 }: PageRequest): number =>
    numberIn(cursor) ?? (page - 1) * limit
  return {
    names: [offset, size],
    query: (request) =>
      Result.succeed([...optional(offset, findOffset(request)), ...optional(size, request.limit ?? defaultLimit)]),
    parseQuery: (query) => {
      const limit = numberIn(query[size]) ?? defaultLimit
      // The client adds the number of rows of each page to the offset. So an offset that is not a multiple of the limit
      // follows a short page, which was the last one. Round up, so that the client gets an empty page.
      return { page: Math.ceil((numberIn(query[offset]) ?? 0) / limit) + 1, limit }
    },
    // Advances by the number of items received, because a service may return fewer than requested.
    next: (_, request, count) => Result.succeed(count === 0 ? undefined : String(findOffset(request) + count)),
    nextAt: undefined,
    first: 1
  }
}

const notByNumber = "the service pages by cursor: continue with Page.stream or Page.after"

const byCursor = (cursor: string, size: string, nextAt: Path.Segments): PagingWire => ({
  names: [cursor, size],
  query: (request) =>
    request.cursor === undefined && (request.page ?? 1) > 1
      ? Result.fail(notByNumber)
      : Result.succeed([...optional(cursor, request.cursor), ...optional(size, request.limit)]),
  // An emulator's cursor is the number of the page.
  parseQuery: (query) => ({ page: numberIn(query[cursor]) ?? 1, limit: numberIn(query[size]) }),
  next: (body) => cursorAt(body, nextAt),
  nextAt,
  writeNext: String,
  first: 1
})

/**
 * The query of an address, which is the cursor of its page. Refuses another origin, which must not get the access token,
 * and another path, which is another list.
 */
const linkQuery = (link: string, path: string, baseUrl: string): Result.Result<string, string> => {
  const list = new URL(baseUrl.replace(/\/+$/, "") + path)
  const target = URL.canParse(link, list) ? new URL(link, list) : undefined
  if (target?.origin !== list.origin)
    return Result.fail("the next page has another origin, which must not get the token")
  const isSegment = (segment: string, at: number) =>
    segment.startsWith(":") || segment === target.pathname.split("/")[at]
  const segments = list.pathname.split("/")
  return segments.length === target.pathname.split("/").length && segments.every(isSegment)
    ? Result.succeed(target.search.slice(1))
    : Result.fail("the next page has another path than the list")
}

/** Like {@link byCursor}, with the address of the next page in place of its cursor. */
const byLink = (page: string, size: string, nextAt: Path.Segments, path: string): PagingWire => {
  const { next, query, ...cursors } = byCursor(page, size, nextAt)
  return {
    ...cursors,
    query: (request) =>
      request.cursor === undefined ? query(request) : Result.succeed([...new URLSearchParams(request.cursor)]),
    next: (body, request, count) =>
      Result.flatMap(next(body, request, count), (link) =>
        link === undefined ? Result.succeed(link) : linkQuery(link, path, request.baseUrl ?? "http://localhost")
      ),
    writeNext: (number, given) => {
      const pairs = Object.entries(given).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
      return `?${new URLSearchParams([...pairs.filter(([name]) => name !== page), [page, String(number)]])}`
    }
  }
}

/** Makes the paging of a list with this path. */
export const make = (paging: NonNullable<Defaults["paging"]>, casing: Defaults["casing"], path: string): PagingWire => {
  if (paging === "none") return whole
  const named = (name: string | undefined, ours: string): string => name ?? Path.cased(ours, casing)
  const size = named(paging.size, "limit")
  switch (paging.style) {
    case "page":
      return byPage(named(paging.page, "page"), size, paging.first ?? 1)
    case "offset":
      return byOffset(named(paging.offset, "offset"), size)
    case "cursor":
      return byCursor(named(paging.cursor, "cursor"), size, Path.parse(paging.next))
    case "link":
      return byLink(named(undefined, "page"), size, Path.parse(paging.next), path)
  }
}

/** Reads and writes the counts of a list: its total at the contract's path, or the assumed counts. */
export const makeMeta = (total: Defaults["total"], casing: Defaults["casing"], first: 0 | 1) => {
  const paths =
    total === undefined
      ? metaNames.map((name) => [name, ["meta", Path.cased(name, casing)]] as const)
      : [["totalItems", Path.parse(total)] as const]
  const shifted = (name: string, value: unknown, by: number): unknown => {
    const page = name === "currentPage" ? numberIn(value) : undefined
    return page === undefined ? value : page + by
  }
  const found = (value: unknown, depth: number): Readonly<Record<string, unknown>> | undefined => {
    const entries = paths.flatMap(([name, path]) => {
      const each = Path.at(value, path.slice(depth))
      const ours = isFlag(name) ? readFlag(each) : shifted(name, each, 1 - first)
      return ours === undefined || ours === null ? [] : [[name, ours] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  return {
    /** If an object contains the rows, the counts may be in that object or in its `meta`. */
    read: (body: unknown, holder: unknown): Readonly<Record<string, unknown>> | undefined =>
      found(body, 0) ?? (total === undefined ? (found(holder, 0) ?? found(holder, 1)) : undefined),
    /** Writes the counts beside the rows in `data`, unless the contract says where the rows or the total are. */
    write: (body: Record<string, unknown>, entries: unknown, isBesideRows: boolean): void => {
      for (const [name, path] of paths) {
        const value = Predicate.hasProperty(entries, name) ? entries[name] : undefined
        const at = isBesideRows && total === undefined ? ["data", ...path.slice(1)] : path
        if (value !== undefined) Path.put(body, at, shifted(name, value, first - 1))
      }
    }
  }
}
