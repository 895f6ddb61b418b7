/** Lists whose pages bring nothing that lies deeper in the list, and lists that only look like them. */
import { Page } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

type Row = Readonly<Record<string, unknown>>

/** How many requests end a list at the latest: a service that never ends it would be asked for ever. */
const most = 1_000

/** Reads a whole list: its rows, how many requests it took, and the error that ended it. */
const read = Effect.fnUntraced(function* (rowsOf: (page: number, nth: number) => ReadonlyArray<Row>, meta?: Page.Meta) {
  let requests = 0
  const rows: Array<Row> = []
  const list = ({ page = 1 }: Page.Request): Effect.Effect<Page.Page<Row>> =>
    Effect.sync(() => ({ items: requests >= most ? [] : rowsOf(page, requests++), meta }))
  const error = yield* Page.stream(list, { limit: 10 }).pipe(
    Stream.runForEach((row) => Effect.sync(() => rows.push(row))),
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => undefined })
  )
  return { error, requests, rows }
})

const numbered = (count: number, more: (at: number) => Row = () => ({})): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, at) => ({ id: `t-${at}`, to: `address ${at}`, ...more(at) }))

/** The same rows, and the id of one of them for another. */
const sharing = (rows: ReadonlyArray<Row>, from: number, to: number): ReadonlyArray<Row> =>
  rows.map((row, at) => (at === to ? { ...row, id: rows[from]!["id"] } : row))

const counted = (rows: ReadonlyArray<Row>, nth: number): ReadonlyArray<Row> =>
  rows.map((row, at) => ({
    ...row,
    extra: { confirmations: nth * 100 + at, height: `${nth * 100 + at}` },
    updatedAt: new Date(nth * 1_000 + at).toISOString()
  }))

const ten = numbered(10)
const onTop = (nth: number): Row => ({ id: `new-${nth}`, to: "address" })
const window = (nth: number, by: number): ReadonlyArray<Row> =>
  [...Array.from({ length: nth * by }, (_, at) => onTop(at)).toReversed(), ...ten].slice(0, 10)

describe("a list that does not go on", () => {
  it.effect.each<readonly [string, number, (page: number, nth: number) => ReadonlyArray<Row>]>([
    ["with two rows of one id, whose counters grow", 2, (_, nth) => counted(sharing(ten, 0, 1), nth)],
    ["with two rows of one id at its end, whose counters grow", 2, (_, nth) => counted(sharing(ten, 8, 9), nth)],
    [
      "with two rows of one id, whose texts change",
      2,
      (_, nth) => sharing(ten, 8, 9).map((row) => ({ ...row, seen: `${nth} minutes ago` }))
    ],
    ["of two rows with one id, whose counters grow", 7, (_, nth) => counted(sharing(numbered(2), 0, 1), nth)],
    [
      "of rows with one id, whose counters grow",
      7,
      (_, nth) =>
        counted(
          numbered(10, () => ({ id: "h" })),
          nth
        )
    ],
    ["with another row on top", 7, (_, nth) => [onTop(nth), ...ten.slice(1)]],
    ["with one more row on top", 7, (_, nth) => window(nth, 1)],
    ["with four more rows on top", 7, (_, nth) => window(nth, 4)],
    [
      "with one more row on top, two rows of one id, and counters",
      9,
      (_, nth) => counted([onTop(nth), ...sharing(ten, 4, 5).slice(0, 9)], nth)
    ],
    [
      "of two pages in turn, with two rows of one id, whose counters grow",
      3,
      (page, nth) => {
        const rows = numbered(20)
        return counted(sharing(page % 2 === 1 ? rows.slice(0, 10) : rows.slice(10), 0, 1), nth)
      }
    ]
  ])("ends with an error: the same page %s", ([, requests, rowsOf]) =>
    Effect.gen(function* () {
      const result = yield* read(rowsOf)
      assert.strictEqual(result.error, "PageRepeated")
      assert.isAtMost(result.requests, requests)
      const ids = new Set(result.rows.map(({ id }) => id))
      assert.isTrue(rowsOf(1, 0).every(({ id }) => ids.has(id)))
    })
  )

  it.effect("ends where the last page comes again, with two rows of one id, whose counters have grown", () =>
    Effect.gen(function* () {
      const result = yield* read((_, nth) => counted(sharing(ten.slice(0, 9), 0, 1), nth), { hasNextPage: false })
      assert.isUndefined(result.error)
      assert.strictEqual(result.requests, 2)
      assert.lengthOf(result.rows, 9)
    })
  )
})

describe("a list that goes on", () => {
  const pageOf = (rows: ReadonlyArray<Row>, page: number) => rows.slice((page - 1) * 10, page * 10)

  it.effect.each([1, 5, 9])("while %i rows are inserted on top before every request: no row is lost", (by) =>
    Effect.gen(function* () {
      const rows = numbered(60)
      const result = yield* read((page, nth) =>
        pageOf([...Array.from({ length: nth * by }, (_, at) => onTop(at)).toReversed(), ...rows], page)
      )
      assert.isUndefined(result.error)
      const ids = new Set(result.rows.map(({ id }) => id))
      assert.isTrue(rows.every(({ id }) => ids.has(id)))
    })
  )

  it.effect.each<readonly [string, ReadonlyArray<Row>]>([
    ["one id", numbered(500, () => ({ id: "h" }))],
    ["one id that differ in an amount or in a counter", numbered(500, (at) => ({ id: "h", to: "a", index: at }))],
    ["two ids in turn", numbered(500, (at) => ({ id: `h-${at % 2}` }))],
    ["ids that come again after every page", numbered(500, (at) => ({ id: `h-${at % 5}` }))],
    ["ids of pairs", numbered(500, (at) => ({ id: `h-${Math.floor(at / 2)}` }))],
    [
      "no id, which differ in a time",
      numbered(500, (at) => ({ id: undefined, to: `${at % 10}`, at: new Date(at).toISOString() }))
    ]
  ])("with rows of %s: no row is lost", ([, rows]) =>
    Effect.gen(function* () {
      const result = yield* read((page, nth) => counted(pageOf(rows, page), nth))
      assert.isUndefined(result.error)
      assert.lengthOf(result.rows, rows.length)
    })
  )

  it.effect("with a sum of the page as the last row of each page: no row is lost", () =>
    Effect.gen(function* () {
      const rows = numbered(100)
      const result = yield* read((page) => {
        const some = pageOf(rows, page)
        return some.length === 0 ? [] : [...some, { id: "sum", total: page }]
      })
      assert.isUndefined(result.error)
      assert.lengthOf(
        result.rows.filter(({ id }) => id !== "sum"),
        rows.length
      )
    })
  )

  it.effect("after a few pages that did not: no row is lost", () =>
    Effect.gen(function* () {
      const rows = numbered(60)
      // Whole pages are inserted, for a while.
      const result = yield* read((page, nth) =>
        pageOf([...Array.from({ length: Math.min(nth, 4) * 12 }, (_, at) => onTop(at)).toReversed(), ...rows], page)
      )
      assert.isUndefined(result.error)
      const ids = new Set(result.rows.map(({ id }) => id))
      assert.isTrue(rows.every(({ id }) => ids.has(id)))
    })
  )
})
