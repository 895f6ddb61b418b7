/** How lists are paged: the page that is asked for, and where the next one is. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults } from "../language/ContractFile.ts"
import { notPagedByCursor } from "@effect-custody/core/unstable/AssumedWire"
import { readFlag, isFlag, metaNames } from "@effect-custody/core/unstable/ListAnswer"
import * as Path from "./path.ts"

export interface Asked {
  readonly page: number | undefined
  readonly limit: number | undefined
  /** Where to read on, as the page before it said. */
  readonly cursor: string | undefined
}

type Query = ReadonlyArray<readonly [name: string, value: string]>
type Given = Readonly<Record<string, unknown>>

export interface PagingWire {
  readonly names: ReadonlyArray<string>
  /** The query of a page, or why the service cannot be asked for it. */
  readonly query: (asked: Asked) => Result.Result<Query, string>
  /** Which page a query asks for: the inverse of {@link query}. */
  readonly asked: (query: Given) => Pick<Asked, "page" | "limit">
  /** The cursor of the next page, according to an answer; fails with a reason if the answer cannot be used. */
  readonly next: (body: unknown, asked: Asked, count: number) => Result.Result<string | undefined, string>
  /** Where an answer says where the next page is. One that does not is the last one. */
  readonly nextAt: Path.Segments | undefined
  readonly first: 0 | 1
}

const defaultLimit = 10

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The cursor of the next page. A value that is none is an error, because it may mean that a page follows. */
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
  asked: () => ({ page: 1, limit: Number.MAX_SAFE_INTEGER }),
  next: noNext,
  nextAt: [],
  first: 1
}

const byPage = (page: string, size: string, first: 0 | 1): PagingWire => ({
  names: [page, size],
  query: (asked) =>
    asked.cursor === undefined
      ? Result.succeed([
          ...optional(page, asked.page === undefined ? undefined : asked.page - 1 + first),
          ...optional(size, asked.limit)
        ])
      : Result.fail(notPagedByCursor),
  asked: (query) => ({ page: (numberIn(query[page]) ?? first) - first + 1, limit: numberIn(query[size]) }),
  next: noNext,
  nextAt: undefined,
  first
})

const byOffset = (offset: string, size: string): PagingWire => {
  const offsetOf = ({ cursor, limit = defaultLimit, page = 1 }: Asked): number => numberIn(cursor) ?? (page - 1) * limit
  return {
    names: [offset, size],
    query: (asked) =>
      Result.succeed([...optional(offset, offsetOf(asked)), ...optional(size, asked.limit ?? defaultLimit)]),
    asked: (query) => {
      const limit = numberIn(query[size]) ?? defaultLimit
      // An offset that is not a multiple of the limit follows a page that was not full, and so the last one: rounding up
      // gives an empty page.
      return { page: Math.ceil((numberIn(query[offset]) ?? 0) / limit) + 1, limit }
    },
    // Advances by the number of items received: a service may return fewer than it was asked for.
    next: (_, asked, count) => Result.succeed(count === 0 ? undefined : String(offsetOf(asked) + count)),
    nextAt: undefined,
    first: 1
  }
}

const cursorPrefix = "page-"

const byCursor = (cursor: string, size: string, next: Path.Segments): PagingWire => ({
  names: [cursor, size],
  query: (asked) =>
    asked.cursor === undefined && (asked.page ?? 1) > 1
      ? Result.fail("the service pages by cursor: continue with Page.stream or Page.after")
      : Result.succeed([...optional(cursor, asked.cursor), ...optional(size, asked.limit)]),
  asked: ({ [cursor]: given, [size]: limit }) => ({
    page: numberIn(typeof given === "string" ? given.replace(cursorPrefix, "") : undefined) ?? 1,
    limit: numberIn(limit)
  }),
  next: (body) => cursorAt(body, next),
  nextAt: next,
  first: 1
})

export const cursorOfPage = (page: number): string => `${cursorPrefix}${page}`

export const make = (paging: NonNullable<Defaults["paging"]>, casing: Defaults["casing"]): PagingWire => {
  if (paging === "none") return whole
  const named = (name: string | undefined, ours: string): string => name ?? Path.cased(ours, casing)
  const size = named(paging.size, "limit")
  switch (paging.style) {
    case "page":
      return byPage(named(paging.page, "page"), size, paging.first ?? 1)
    case "offset":
      return byOffset(named(paging.offset, "offset"), size)
    case "cursor":
      return byCursor(named(paging.cursor, "cursor"), size, Path.segmentsOf(paging.next))
  }
}

export const ofMeta = (meta: Defaults["meta"], casing: Defaults["casing"], first: 0 | 1) => {
  const paths = metaNames.flatMap((name): ReadonlyArray<readonly [typeof name, Path.Segments]> => {
    const path = meta === undefined ? `meta.${Path.cased(name, casing)}` : meta[name]
    return path === undefined ? [] : [[name, Path.segmentsOf(path)]]
  })
  const shifted = (name: string, value: unknown, by: number): unknown => {
    const page = name === "currentPage" ? numberIn(value) : undefined
    return page === undefined ? value : page + by
  }
  const found = (value: unknown, depth: number): Readonly<Record<string, unknown>> | undefined => {
    const told = paths.flatMap(([name, path]) => {
      const each = Path.at(value, path.slice(depth))
      const ours = isFlag(name) ? readFlag(each) : shifted(name, each, 1 - first)
      return ours === undefined || ours === null ? [] : [[name, ours] as const]
    })
    return told.length === 0 ? undefined : Object.fromEntries(told)
  }
  return {
    paths,
    /** What an answer says about the whole list. If an object holds the rows, it may be in its `meta`, or beside them. */
    read: (body: unknown, holder: unknown): Readonly<Record<string, unknown>> | undefined =>
      found(body, 0) ?? (meta === undefined ? (found(holder, 0) ?? found(holder, 1)) : undefined),
    write: (body: Record<string, unknown>, told: unknown): void => {
      for (const [name, path] of paths) {
        const value = Predicate.hasProperty(told, name) ? told[name] : undefined
        if (value !== undefined) Path.put(body, path, shifted(name, value, first - 1))
      }
    }
  }
}
