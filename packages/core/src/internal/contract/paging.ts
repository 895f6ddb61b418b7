/** How lists are paged: the page that is asked for, and where the next one is. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Meta, Paging } from "../../ContractFile.ts"
import * as Path from "./path.ts"

/** Which page a call asks for. */
export interface Asked {
  readonly page: number | undefined
  readonly limit: number | undefined
  /** Where to read on, as the page before it said. */
  readonly cursor: string | undefined
}

type Query = ReadonlyArray<readonly [name: string, value: string]>

export interface PagingWire {
  /** The query of a page, or why the service cannot be asked for it. */
  readonly query: (asked: Asked) => Result.Result<Query, string>
  /** Whether the cursor is a whole query, in place of the one of the call. */
  readonly isWhole: boolean
  /** The names in the query that belong to paging. */
  readonly names: ReadonlyArray<string>
  /** What to ask for to get the next page, according to an answer; fails with a reason if the answer cannot be used. */
  readonly next: (body: unknown, asked: Asked, count: number) => Result.Result<string | undefined, string>
  /** Whether an answer that does not say where the next page is was the last one. */
  readonly endsWithoutNext: boolean
  /** Which page a query asks for: the inverse of {@link query}. */
  readonly asked: (query: Readonly<Record<string, unknown>>) => Asked
  /** Says where the next page is, in the answer to a call at this address. */
  readonly putNext: (body: Record<string, unknown>, asked: Asked, target: string) => void
  /** The number of the service's first page. */
  readonly first: 0 | 1
}

/** How many items a page has if nobody says so. */
const defaultLimit = 10

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

const pageOnly = (what: string): string => `the service pages by ${what}: continue with Page.stream or Page.after`

export const notByCursor = "the service does not page by cursor"

/** The cursor or link of the next page. Any other value is an error, because it may mean that a page follows. */
const nextAt = (body: unknown, path: Path.Segments): Result.Result<string | undefined, string> => {
  const value = Path.at(body, path)
  if (value === undefined || value === null || value === false || value === "") return Result.succeed(undefined)
  return typeof value === "string" || typeof value === "number"
    ? Result.succeed(String(value))
    : Result.fail(`${path.join(".")} does not say where the next page is`)
}

/** The query of a link. Nothing else of it is used: it may lead elsewhere, and the token must not. */
const queryOf = (link: string, place: Path.Segments): Result.Result<string, string> => {
  const [address = ""] = link.split("#")
  const query = address.slice(address.indexOf("?") + 1)
  return query.includes("=") ? Result.succeed(query) : Result.fail(`${place.join(".")} has no query of the next page`)
}

/** Paging as a contract says it. */
export const make = (paging: Paging, casing: Defaults["casing"]): PagingWire => {
  const named = (name: string | undefined, ours: string): string => name ?? Path.cased(ours, casing)
  const size = named("size" in paging ? paging.size : undefined, "limit")
  const sized = ({ limit }: Asked): Query => (limit === undefined ? [] : [[size, String(limit)]])
  const limitIn = (query: Readonly<Record<string, unknown>>) => numberIn(query[size])
  switch (paging.style) {
    case "none":
      return {
        query: (asked) =>
          (asked.page ?? 1) > 1 || asked.cursor !== undefined
            ? Result.fail("the list is whole: it has one page")
            : Result.succeed([]),
        isWhole: false,
        names: [],
        next: () => Result.succeed(undefined),
        endsWithoutNext: true,
        // A whole list has no limit.
        asked: () => ({ page: 1, limit: Number.MAX_SAFE_INTEGER, cursor: undefined }),
        putNext: () => {},
        first: 1
      }
    case "page": {
      const page = named(paging.page, "page")
      const first = paging.first ?? 1
      return {
        query: (asked) =>
          asked.cursor === undefined
            ? Result.succeed([
                ...(asked.page === undefined ? [] : ([[page, String(asked.page - 1 + first)]] as const)),
                ...sized(asked)
              ])
            : Result.fail(notByCursor),
        isWhole: false,
        names: [page, size],
        next: () => Result.succeed(undefined),
        endsWithoutNext: false,
        asked: (query) => ({
          page: (numberIn(query[page]) ?? first) - first + 1,
          limit: limitIn(query),
          cursor: undefined
        }),
        putNext: () => {},
        first
      }
    }
    case "offset": {
      const offset = named(paging.offset, "offset")
      const offsetOf = ({ cursor, limit = defaultLimit, page = 1 }: Asked): number =>
        numberIn(cursor) ?? (page - 1) * limit
      return {
        query: (asked) =>
          Result.succeed([
            [offset, String(offsetOf(asked))],
            [size, String(asked.limit ?? defaultLimit)]
          ]),
        isWhole: false,
        names: [offset, size],
        // Advances by the number of items received: a service may return fewer than it was asked for.
        next: (_, asked, count) => Result.succeed(count === 0 ? undefined : String(offsetOf(asked) + count)),
        endsWithoutNext: false,
        asked: (query) => {
          const limit = limitIn(query) ?? defaultLimit
          // An offset that is not a multiple of the limit follows a page that was not full, and so the last one:
          // rounding up gives an empty page.
          return { page: Math.ceil((numberIn(query[offset]) ?? 0) / limit) + 1, limit, cursor: undefined }
        },
        putNext: () => {},
        first: 1
      }
    }
    case "cursor": {
      const cursor = named(paging.cursor, "cursor")
      const next = Path.segmentsOf(paging.next)
      return {
        query: (asked) =>
          asked.cursor === undefined && (asked.page ?? 1) > 1
            ? Result.fail(pageOnly("cursor"))
            : Result.succeed([
                ...(asked.cursor === undefined ? [] : ([[cursor, asked.cursor]] as const)),
                ...sized(asked)
              ]),
        isWhole: false,
        names: [cursor, size],
        next: (body) => nextAt(body, next),
        endsWithoutNext: true,
        asked: (query) => ({ page: pageOfCursor(query[cursor]), limit: limitIn(query), cursor: undefined }),
        putNext: (body, { page = 1 }) => Path.put(body, next, cursorOfPage(page + 1)),
        first: 1
      }
    }
    case "link": {
      const page = named(paging.page, "page")
      const next = Path.segmentsOf(paging.next)
      return {
        query: (asked) => {
          if (asked.cursor !== undefined) return Result.succeed([...new URLSearchParams(asked.cursor)])
          return (asked.page ?? 1) > 1 ? Result.fail(pageOnly("link")) : Result.succeed(sized(asked))
        },
        isWhole: true,
        names: [page, size],
        next: (body) => {
          const href = [...next, "href"]
          const place = typeof Path.at(body, href) === "string" ? href : next
          return Result.flatMap(nextAt(body, place), (link) =>
            link === undefined ? Result.succeed(link) : queryOf(link, place)
          )
        },
        endsWithoutNext: true,
        asked: (query) => ({ page: numberIn(query[page]) ?? 1, limit: limitIn(query), cursor: undefined }),
        putNext: (body, asked, target) => {
          const [path = "", query = ""] = target.split("?")
          const params = new URLSearchParams(query)
          params.set(page, String((asked.page ?? 1) + 1))
          Path.put(body, next, `${path}?${params}`)
        },
        first: 1
      }
    }
  }
}

const cursorPrefix = "page-"
const cursorOfPage = (page: number): string => `${cursorPrefix}${page}`
const pageOfCursor = (cursor: unknown): number =>
  typeof cursor === "string" && cursor.startsWith(cursorPrefix) ? (numberIn(cursor.slice(cursorPrefix.length)) ?? 1) : 1

const metaNames = ["totalItems", "itemsPerPage", "totalPages", "currentPage", "hasPreviousPage", "hasNextPage"] as const

/** A flag, as a service may write it; any other value stays as it is. */
const flagIn = (value: unknown): unknown => {
  if (typeof value !== "string" && typeof value !== "number") return value
  const text = String(value).toLowerCase()
  return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : value
}

const isFlag = (name: string): boolean => name.startsWith("has")

const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(typeof value === "string" && value.trim() !== "" ? Number(value) : value)

/** The fields of a `meta` that can be understood. Other fields are ignored. */
export const understood = (meta: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    metaNames.flatMap((name) => {
      const value = Path.at(meta, [name])
      const read = isFlag(name) ? flagIn(value) : value
      return (isFlag(name) ? typeof read === "boolean" : isCount(read)) ? [[name, read]] : []
    })
  )

type MetaPaths = ReadonlyArray<readonly [name: (typeof metaNames)[number], path: Path.Segments]>

const metaPaths = (meta: Meta | undefined, casing: Defaults["casing"]): MetaPaths =>
  metaNames.flatMap((name) => {
    const path = meta === undefined ? `meta.${Path.cased(name, casing)}` : meta[name]
    return path === undefined ? [] : [[name, Path.segmentsOf(path)]]
  })

/** Reads and writes what an answer says about the whole list. */
export const ofMeta = (meta: Meta | undefined, casing: Defaults["casing"], first: 0 | 1) => {
  const paths = metaPaths(meta, casing)
  /** Where else it may be if an object holds the rows: in the object's `meta`, or beside the rows. */
  const inHolder = meta === undefined ? [paths, paths.map(([name, path]) => [name, path.slice(1)] as const)] : []
  const shifted = (name: string, value: unknown, by: number): unknown => {
    const page = name === "currentPage" && by !== 0 ? numberIn(value) : undefined
    return page === undefined ? value : page + by
  }
  const found = (value: unknown, at: MetaPaths): Readonly<Record<string, unknown>> | undefined => {
    const told = at.flatMap(([name, path]) => {
      const each = Path.at(value, path)
      const ours = isFlag(name) ? flagIn(each) : shifted(name, each, 1 - first)
      return ours === undefined || ours === null ? [] : [[name, ours] as const]
    })
    return told.length === 0 ? undefined : Object.fromEntries(told)
  }
  return {
    paths,
    /** What an answer says about the whole list. `holder`: the object that holds its rows, if there is one. */
    read: (body: unknown, holder: unknown): Readonly<Record<string, unknown>> | undefined =>
      [found(body, paths), ...inHolder.map((at) => found(holder, at))].find((told) => told !== undefined),
    write: (body: Record<string, unknown>, told: unknown): void => {
      if (!Predicate.isReadonlyObject(told)) return
      for (const [name, path] of paths) {
        if (told[name] !== undefined) Path.put(body, path, shifted(name, told[name], first - 1))
      }
    }
  }
}

/** The key in our envelope of a list that holds the next cursor. It is a symbol, which no JSON answer can contain. */
export const nextCursor: unique symbol = Symbol.for("@effect-custody/core/nextCursor")

/**
 * An envelope that may say how to read on. `null`: another page follows, and the service does not say where it is;
 * `false`: the service pages by cursor or link, and no page follows.
 */
export interface Continued {
  readonly [nextCursor]?: string | null | false
}

/** Whether another page follows one, and the service does not say where it is. */
export const isCutOff = (page: object): boolean => (page as Continued)[nextCursor] === null

/** Whether no page follows one, because the service gives no cursor or link. */
export const isEnd = (page: object): boolean => (page as Continued)[nextCursor] === false

/** The decoded envelope with the next cursor, which the schemas do not know. */
export const continued = (sent: unknown, decoded: unknown): unknown =>
  typeof sent === "object" && sent !== null && nextCursor in sent
    ? { ...(decoded as object), [nextCursor]: sent[nextCursor] }
    : decoded
