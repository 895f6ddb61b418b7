import { Page } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Reports, sentBy } from "../../support/clients/reports.ts"
import { answer, type Sent } from "../../support/clients/stubHttp.ts"

describe("a stream of pages", () => {
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

  it.effect("reads on to the empty page where the service says nothing of the whole", () =>
    Effect.gen(function* () {
      const all = Stream.runCollect(Page.stream(list, { limit: 3 }))
      const seven = yield* sentBy(all, { respond: service(7) })
      assert(seven.exit._tag === "Success")
      assert.deepStrictEqual(
        seven.exit.value.map(({ id }) => id),
        ["r-1", "r-2", "r-3", "r-4", "r-5", "r-6", "r-7"]
      )
      assert.deepStrictEqual(pagesAsked(seven.sent), ["1", "2", "3", "4"])
      assert.deepStrictEqual(pagesAsked((yield* sentBy(all, { respond: service(6) })).sent), ["1", "2", "3"])
      assert.deepStrictEqual(pagesAsked((yield* sentBy(all, { respond: service(0) })).sent), ["1"])
    })
  )

  it.effect("loses no row where the service gives fewer than the limit, and says nothing of the whole", () =>
    Effect.gen(function* () {
      const capped = (sent: Sent) => service(7)({ ...sent, url: sent.url.replace("limit=100", "limit=3") })
      const { exit } = yield* sentBy(Stream.runCount(Page.stream(list, { limit: 100 })), { respond: capped })
      assert.deepStrictEqual(exit, Exit.succeed(7))
    })
  )

  it.effect("gives a row once that moves to the next page, because another is inserted meanwhile", () =>
    Effect.gen(function* () {
      const rows = ["r-1", "r-2", "r-3", "r-4", "r-5"]
      const growing = (sent: Sent, nth: number) => {
        const page = Number(new URL(sent.url).searchParams.get("page"))
        const now = nth === 0 ? rows : ["r-0", ...rows]
        const data = now.slice((page - 1) * 2, page * 2).map((id) => ({ id }))
        return answer(200, { message: "", data, status: 200 })
      }
      const { exit } = yield* sentBy(Stream.runCollect(Page.stream(list, { limit: 2 })), { respond: growing })
      assert(exit._tag === "Success")
      assert.deepStrictEqual(
        exit.value.map(({ id }) => id),
        rows
      )
    })
  )

  it.effect.each([
    ["the last row moves", ["r-0"], 4, 4],
    ["the last two rows move", ["r-0", "r-00"], 4, 4],
    ["the last row of page 2 moves", ["r-0"], 6, 3]
  ] as const)(
    "ends where %s to a page of its own, because others are inserted meanwhile",
    ([, inserted, count, limit]) =>
      Effect.gen(function* () {
        const rows = Array.from({ length: count }, (_, at) => `r-${at + 1}`)
        const pages = count / limit
        const growing = (sent: Sent, nth: number) => {
          const page = Number(new URL(sent.url).searchParams.get("page"))
          const now = nth < pages ? rows : [...inserted, ...rows]
          const data = now.slice((page - 1) * limit, page * limit).map((id) => ({ id }))
          return answer(200, { message: "", data, status: 200 })
        }
        const { exit, sent } = yield* sentBy(Stream.runCollect(Page.stream(list, { limit })), { respond: growing })
        assert(exit._tag === "Success", String(exit))
        assert.deepStrictEqual(
          exit.value.map(({ id }) => id),
          rows
        )
        assert.lengthOf(sent, pages + 2)
      })
  )

  it.effect.each([
    ["of its own", ["r-4"]],
    ["of the page before", ["r-3"]]
  ] as const)("fails where the service gives a last page with a row %s again and again", ([, last]) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const reading = Page.stream(list, { limit: 3 }).pipe(
        Stream.runForEach(({ id }) => Effect.sync(() => seen.push(id))),
        Effect.flip
      )
      const first = ["r-1", "r-2", "r-3"]
      const respond = (_: Sent, nth: number) =>
        answer(200, { message: "", data: (nth === 0 ? first : last).map((id) => ({ id })), status: 200 })
      const { exit } = yield* sentBy(reading, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.deepInclude<object>(exit.value, { _tag: "PageRepeated", page: 3 })
      assert.deepStrictEqual(seen, [...new Set([...first, ...last])])
    })
  )

  it.effect("fails where the service gives the same page for ever, after what came before", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const reading = Page.stream(Object.assign(list, { operation: "reports.list" }), { limit: 3 }).pipe(
        Stream.runForEach(({ id }) => Effect.sync(() => seen.push(id))),
        Effect.flip
      )
      const deaf = (sent: Sent) => service(7)({ ...sent, url: sent.url.replace(/page=\d+/, "page=1") })
      const { exit, sent } = yield* sentBy(reading, { respond: deaf })
      assert(exit._tag === "Success")
      assert.deepInclude<object>(exit.value, { _tag: "PageRepeated", operation: "reports.list", page: 2 })
      assert.deepStrictEqual(seen, ["r-1", "r-2", "r-3"])
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("fails rather than lose rows where the service's counts do not agree with what it gave", () =>
    Effect.gen(function* () {
      const all = Stream.runCount(Page.stream(Object.assign(list, { operation: "reports.list" }), { limit: 3 }))
      /** A service whose first page has the number zero. */
      const fromZero = (meta: (page: number) => object) => (sent: Sent) => {
        const page = Number(new URL(sent.url).searchParams.get("page"))
        const url = sent.url.replace(/page=\d+/, `page=${page + 1}`)
        return service(7, () => meta(page))({ ...sent, url })
      }
      const lost = yield* sentBy(Effect.flip(all), {
        respond: fromZero((page) => ({ totalItems: 7, currentPage: page }))
      })
      assert(lost.exit._tag === "Success", String(lost.exit))
      assert.deepInclude<object>(lost.exit.value, {
        _tag: "PagesIncomplete",
        operation: "reports.list",
        reason: "the service counts 7 items, but returned 4"
      })
      const shifted = service(7, (page) => ({ currentPage: page - 1, hasNextPage: page < 3 }))
      const { exit } = yield* sentBy(Effect.flip(all), { respond: shifted })
      assert(exit._tag === "Success", String(exit))
      assert.deepInclude<object>(exit.value, { _tag: "PagesIncomplete", page: 1 })
      const right = service(7, (page) => ({ totalItems: "7", currentPage: page }))
      assert.deepStrictEqual((yield* sentBy(all, { respond: right })).exit, Exit.succeed(7))
    })
  )

  it.effect.each([
    ["is empty", answer(200, { message: "", data: [], status: 200 })],
    ["is refused", answer(416, { message: "", code: "E40000", errors: {}, status: 416 })],
    ["is the last one again", answer(200, { message: "", data: [{ id: "r-3" }], status: 200 })]
  ] as const)("reads beyond a declared end, if asked to, until a page %s", ([, last]) =>
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

  it.effect("takes pages of ten where no limit is given", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* sentBy(Stream.runCount(Page.stream(list, {})), { respond: service(25) })
      assert(exit._tag === "Success")
      assert.strictEqual(exit.value, 25)
      assert.deepStrictEqual(pagesAsked(sent), ["1", "2", "3", "4"])
      assert.isFalse(sent[0]!.url.includes("limit"))
    })
  )

  it.effect("believes what the service says of the whole, be it in numbers or in digits", () =>
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
  ])("reads on where the counts %j contradict the rows or each other", (meta) =>
    Effect.gen(function* () {
      const all = Stream.runCount(Page.stream(list, { limit: 3 }))
      const { exit, sent } = yield* sentBy(all, { respond: service(7, () => meta) })
      assert.deepStrictEqual(exit, Exit.succeed(7))
      assert.lengthOf(pagesAsked(sent), 4)
    })
  )

  it.effect("begins at the page that is asked for, and reads no further than its consumer takes", () =>
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

  it.effect("fails as a page does, after what came before it", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const reading = Page.stream(list, { limit: 3 }).pipe(
        Stream.runForEach(({ id }) => Effect.sync(() => seen.push(id))),
        Effect.flip
      )
      const broken = (sent: Sent, nth: number) =>
        nth === 0 ? service(7)(sent) : answer(400, { status: 400, message: "No", errors: {}, code: "E40000" })
      const { exit } = yield* sentBy(reading, { respond: broken })
      assert(exit._tag === "Success")
      assert.strictEqual(exit.value._tag, "BadRequest")
      assert.deepStrictEqual(seen, ["r-1", "r-2", "r-3"])
    })
  )
})
