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
