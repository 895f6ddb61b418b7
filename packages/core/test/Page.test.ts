import { Page } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Reports, sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer, type Sent } from "../../../test/support/clients/stubHttp.ts"

describe("Page", () => {
  /** A list of so many items, with what the service says of it. */
  const service = (count: number, meta?: (page: number, pages: number) => object) => (sent: Sent) => {
    const query = new URL(sent.url).searchParams
    const limit = Number(query.get("limit") ?? 10)
    const page = Number(query.get("page"))
    const items = Array.from({ length: count }, (_, index) => ({ id: `r-${index + 1}` }))
    const data = items.slice((page - 1) * limit, page * limit)
    const about = meta === undefined ? {} : { meta: meta(page, Math.ceil(count / limit)) }
    return answer(200, { message: "", data, ...about, status: 200 })
  }
  const pagesAsked = (sent: ReadonlyArray<Sent>) => sent.map(({ url }) => new URL(url).searchParams.get("page"))
  const list = (request: { readonly page?: number; readonly limit?: number }) =>
    Reports.list({ year: 2026, ...request })

  const ids = (...numbers: ReadonlyArray<number>) => numbers.map((number) => `r-${number}`)
  const all = (limit?: number) => Stream.runCollect(Page.stream(list, limit === undefined ? {} : { limit }))
  const idsOf = (exit: Exit.Exit<ReadonlyArray<{ readonly id: string }>, unknown>) =>
    exit._tag === "Success" ? exit.value.map(({ id }) => id) : String(exit)
  const pageOf = (rows: ReadonlyArray<string>) =>
    answer(200, { message: "", data: rows.map((id) => ({ id })), status: 200 })

  /** The error of a stream, and what came before it. */
  const broken = (respond: (sent: Sent, nth: number) => Response) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const reading = Page.stream(Object.assign(list, { operation: "reports.list" }), { limit: 3 }).pipe(
        Stream.runForEach(({ id }) => Effect.sync(() => seen.push(id))),
        Effect.flip
      )
      const { exit, sent } = yield* sentBy(reading, { respond })
      assert(exit._tag === "Success", String(exit))
      return { error: exit.value, seen, sent }
    })

  it.effect("Page.stream reads on to an empty page if the service sends no counts", () =>
    Effect.gen(function* () {
      const seven = yield* sentBy(all(3), { respond: service(7) })
      assert.deepStrictEqual(idsOf(seven.exit), ids(1, 2, 3, 4, 5, 6, 7))
      for (const [count, limit, pages] of [
        [7, 3, 4],
        [6, 3, 3],
        [0, 3, 1],
        [25, undefined, 4]
      ] as const) {
        const { sent } = yield* sentBy(all(limit), { respond: service(count) })
        assert.deepStrictEqual(pagesAsked(sent), ["1", "2", "3", "4"].slice(0, pages))
      }
    })
  )

  it.effect("Page.stream loses no row if the service returns fewer rows than the limit and sends no counts", () =>
    Effect.gen(function* () {
      const capped = (sent: Sent) => service(7)({ ...sent, url: sent.url.replace("limit=100", "limit=3") })
      const { exit } = yield* sentBy(Stream.runCount(Page.stream(list, { limit: 100 })), { respond: capped })
      assert.deepStrictEqual(exit, Exit.succeed(7))
    })
  )

  it.effect.each([
    ["in the middle", ["r-0"], 5, 2, 1],
    ["at the end", ["r-0", "r-00"], 4, 4, 1],
    ["on a page of its own", ["r-0"], 6, 3, 2]
  ] as const)("Page.stream returns a row once if insertions move it %s", ([, inserted, count, limit, after]) =>
    Effect.gen(function* () {
      const rows = Array.from({ length: count }, (_, at) => `r-${at + 1}`)
      const growing = (sent: Sent, nth: number) => {
        const page = Number(new URL(sent.url).searchParams.get("page"))
        const now = nth < after ? rows : [...inserted, ...rows]
        return pageOf(now.slice((page - 1) * limit, page * limit))
      }
      assert.deepStrictEqual(idsOf((yield* sentBy(all(limit), { respond: growing })).exit), rows)
    })
  )

  it.effect("Page.stream returns the earlier rows and fails if the service sends the same page for ever", () =>
    Effect.gen(function* () {
      const deaf = yield* broken((sent) => service(7)({ ...sent, url: sent.url.replace(/page=\d+/, "page=1") }))
      assert.deepInclude<object>(deaf.error, { _tag: "PageRepeated", operation: "reports.list", page: 2 })
      assert.deepStrictEqual([deaf.seen, deaf.sent.length], [ids(1, 2, 3), 2])
      for (const last of [4, 3]) {
        const { error, seen } = yield* broken((_, nth) => pageOf(nth === 0 ? ids(1, 2, 3) : ids(last)))
        assert.deepInclude<object>(error, { _tag: "PageRepeated", page: 3 })
        assert.deepStrictEqual(seen, [...new Set(ids(1, 2, 3, last))])
      }
    })
  )

  it.effect("Page.stream returns the earlier rows and fails with the error of a page", () =>
    Effect.gen(function* () {
      const refusal = () => answer(400, { status: 400, message: "No", errors: {}, code: "E40000" })
      const { error, seen } = yield* broken((sent, nth) => (nth === 0 ? service(7)(sent) : refusal()))
      assert.strictEqual(error._tag, "BadRequest")
      assert.deepStrictEqual(seen, ids(1, 2, 3))
    })
  )

  it.effect("Page.stream fails rather than lose rows if the service's counts contradict its rows", () =>
    Effect.gen(function* () {
      /** A service whose first page has the number zero. */
      const fromZero = (meta: (page: number) => object) => (sent: Sent) => {
        const page = Number(new URL(sent.url).searchParams.get("page"))
        const url = sent.url.replace(/page=\d+/, `page=${page + 1}`)
        return service(7, () => meta(page))({ ...sent, url })
      }
      const lost = yield* broken(fromZero((page) => ({ totalItems: 7, currentPage: page })))
      const reason = "the service counts 7 items, but returned 4"
      assert.deepInclude<object>(lost.error, { _tag: "PagesIncomplete", operation: "reports.list", reason })
      const shifted = yield* broken(service(7, (page) => ({ currentPage: page - 1, hasNextPage: page < 3 })))
      assert.deepInclude<object>(shifted.error, { _tag: "PagesIncomplete", page: 1 })
      const right = service(7, (page) => ({ totalItems: "7", currentPage: page }))
      assert.lengthOf(idsOf((yield* sentBy(all(3), { respond: right })).exit), 7)
    })
  )

  it.effect.each([
    ["is empty", answer(200, { message: "", data: [], status: 200 })],
    ["is refused", answer(416, { message: "", code: "E40000", errors: {}, status: 416 })],
    ["is the last one again", answer(200, { message: "", data: [{ id: "r-3" }], status: 200 })]
  ] as const)("Page.pages with beyondEnd reads beyond a declared end until a page %s", ([, last]) =>
    Effect.gen(function* () {
      const rows = [["r-1", "r-2"], ["r-3"]]
      const respond = (sent: Sent) => {
        const ids = rows[Number(new URL(sent.url).searchParams.get("page")) - 1]
        const data = ids?.map((id) => ({ id }))
        return data === undefined ? last : answer(200, { message: "", data, meta: { hasNextPage: false }, status: 200 })
      }
      const shown = (beyondEnd: boolean) =>
        Effect.map(sentBy(Stream.runCollect(Page.pages(list, {}, { beyondEnd })), { respond }), ({ exit }) =>
          exit._tag === "Success" ? exit.value.map(({ items }) => items.map(({ id }): string => id)) : exit
        )
      assert.deepStrictEqual<unknown>(yield* shown(true), rows)
      assert.deepStrictEqual<unknown>(yield* shown(false), rows.slice(0, 1))
    })
  )

  it.effect("Page.stream ends where the service's counts say, as numbers or as digits", () =>
    Effect.gen(function* () {
      const all = Stream.runCount(Page.stream(list, { limit: 3 }))
      const byNext = service(6, (page, pages) => ({ hasNextPage: page < pages }))
      assert.deepStrictEqual(pagesAsked((yield* sentBy(all, { respond: byNext })).sent), ["1", "2"])
      const byCount = service(6, (_, pages) => ({ totalPages: String(pages), totalItems: 6 }))
      assert.deepStrictEqual(pagesAsked((yield* sentBy(all, { respond: byCount })).sent), ["1", "2"])
    })
  )

  it.effect.each([
    { totalItems: 0, totalPages: 0 },
    { totalPages: 0 },
    { totalItems: -1, totalPages: -1 },
    { totalItems: 0, totalPages: 0, hasNextPage: false },
    { totalItems: 2, totalPages: 1 },
    { totalItems: 2, hasNextPage: false }
  ])("Page.stream reads on if the counts %j contradict the rows or each other", (meta) =>
    Effect.gen(function* () {
      const all = Stream.runCount(Page.stream(list, { limit: 3 }))
      const { exit, sent } = yield* sentBy(all, { respond: service(7, () => meta) })
      assert.deepStrictEqual(exit, Exit.succeed(7))
      assert.lengthOf(pagesAsked(sent), 4)
    })
  )

  it.effect("Page.stream begins at the requested page, and reads no further than its consumer takes", () =>
    Effect.gen(function* () {
      const from = Stream.runCount(Page.stream(list, { page: 2, limit: 3 }))
      const second = yield* sentBy(from, { respond: service(7) })
      assert(second.exit._tag === "Success")
      assert.strictEqual(second.exit.value, 4)
      assert.deepStrictEqual(pagesAsked(second.sent), ["2", "3", "4"])
      const four = Stream.runCount(Stream.take(Page.stream(list, { limit: 3 }), 4))
      assert.deepStrictEqual(pagesAsked((yield* sentBy(four, { respond: service(100) })).sent), ["1", "2"])
    })
  )
})
