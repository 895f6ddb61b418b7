/** What a search of the history may conclude under adapters. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount } from "@effect-custody/core"
import { Timestamp } from "@effect-custody/core/Timestamp"
import { Transactions } from "@effect-custody/transactions"
import * as HistorySearch from "@effect-custody/transactions/siblings/HistorySearch"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import {
  ended,
  others,
  ours,
  page,
  paged,
  payout,
  type Respond,
  shown,
  tagOf,
  valueOf
} from "../../../transactions/test/history.ts"
import { sentBy } from "../../../../test/support/clients/sdkApi.ts"

const proving = (...proven: ReadonlyArray<"clientId" | "from">) =>
  Adapter.layer([Adapter.assumed(Transactions.list, { proven })])

it.effect.each<readonly [string, ReturnType<typeof proving> | undefined, tag: string, isWhole: boolean]>([
  ["the whole history is read without a contract", undefined, "Found", true],
  ["the whole history is read if the contract proves one of two filters", proving("from"), "Found", true],
  ["the filters that the contract proves end the search", proving("clientId", "from"), "NotFoundSoFar", false]
])("%s", ([, contract = Layer.empty, tag, isWhole]) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12))
    // The service reads the filter by client in its own way.
    const respond: Respond = ({ url }) =>
      page(new URL(url).searchParams.has("clientId") ? [others[0]!] : [others[0]!, ours], { hasNextPage: false })
    const find = ended(Transactions.find(payout, { since: DateTime.makeUnsafe("2026-11-20T12:00:00Z") }))
    const { exit, sent } = yield* sentBy(find, { respond, contract })
    assert(exit._tag === "Success", String(exit))
    const isRead = sent.some(({ url }) => !new URL(url).searchParams.has("clientId"))
    assert.deepStrictEqual([exit.value._tag, isRead], [tag, isWhole])
  })
)

const minute = (at: number): number => Date.UTC(2026, 10, 20, 12, at)

const noteAt = (at: number): string => `payment ${String(at).padStart(2, "0")}`

/** A row of each minute from 12:00 on. Those at these minutes are payments. */
const rowsOf = (minutes: ReadonlyArray<number>, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...shown,
    id: `t-${at}`,
    ...(minutes.includes(at) ? { note: noteAt(at) } : { note: `other ${at}`, amount: "1" }),
    createdAt: DateTime.formatIso(DateTime.makeUnsafe(minute(at)))
  }))

/** What is wrong with the adapter of a history. */
interface History {
  readonly time?: Schema.Codec<DateTime.Utc, string | number>
  /** Says that the list has one page. */
  readonly isWhole?: boolean
  /** Says nothing of a next page. */
  readonly isOpen?: boolean
}

const historyAdapter = ({ isOpen = false, isWhole = false, time = Timestamp }: History) => {
  const text = Schema.optionalKey(Schema.String)
  const Row = Schema.Struct({
    id: Schema.String,
    status: Transactions.Status,
    clientId: text,
    assetId: text,
    amount: Amount.Amount,
    to: text,
    note: text,
    createdAt: time
  })
  return Adapter.make(Transactions.list, {
    without: ["sortKey", "order", "search", "networkId", "type", "status", "to"],
    request: ({ assetId, clientId, from }, { limit, page }) =>
      HttpClientRequest.get("/transactions", {
        urlParams: {
          clientId,
          assetId,
          from: from && DateTime.formatIso(from),
          ...(isWhole || isOpen ? {} : { page, limit })
        }
      }),
    answer: Schema.Array(Row),
    read: (rows) =>
      rows.map((row) => ({
        id: row.id,
        status: row.status,
        type: "OUTGOING" as const,
        clientId: row.clientId,
        toClientId: undefined,
        walletId: undefined,
        assetId: row.assetId,
        networkId: undefined,
        amount: row.amount,
        fee: undefined,
        feeAssetId: undefined,
        from: undefined,
        to: row.to,
        note: row.note,
        hash: undefined,
        createdAt: row.createdAt,
        updatedAt: undefined
      })),
    ...(isOpen
      ? {}
      : { next: (_: unknown, rows: number, { page }: Adapter.Asked) => (isWhole || rows === 0 ? undefined : page + 1) })
  })
}

/** Looks for the payments of these minutes, two hours later. */
const lookForEach = (minutes: ReadonlyArray<number>, respond: Respond, history: History = {}) => {
  const payments = minutes.map((at) => ({
    wanted: { ...payout, note: noteAt(at) },
    since: DateTime.makeUnsafe(minute(at))
  }))
  const contract = Adapter.layer([historyAdapter(history)])
  return Effect.andThen(
    TestClock.setTime(minute(120)),
    valueOf(
      sentBy(HistorySearch.findEach({ endpoint: Transactions.list, read: Transactions.list }, payments, {}), {
        respond,
        contract
      })
    )
  )
}

describe("a history that is read by a wrong contract proves no absence", () => {
  const paid = Array.from({ length: 12 }, (_, at) => at + 1)

  it.effect.each<readonly [string, number, Schema.Codec<DateTime.Utc, string | number>, RegExp]>([
    [
      "seconds as milliseconds",
      1_000,
      Format.Milliseconds,
      /t-0 has the time 1970-01-21T.*confirm the unit of createdAt/
    ],
    ["milliseconds as seconds", 1, Format.Seconds, /no transaction from before 2026-11-20T13:00/]
  ])(
    "a search that reads %s finds 12 of 12 payments, and does not say that another was not made",
    ([, divisor, time, reason]) =>
      Effect.gen(function* () {
        const rows = rowsOf(paid, 20).map((row) => ({ ...row, createdAt: Date.parse(row.createdAt) / divisor }))
        const found = yield* lookForEach([...paid, 60], paged(rows), { time })
        assert.deepStrictEqual(
          found.slice(0, 12).map(tagOf),
          paid.map(() => "Found")
        )
        const other = found[12]!
        assert(Result.isFailure(other) && other.failure._tag === "HistoryUnproven")
        assert.match(other.failure.message, reason)
      })
  )

  const [early, late] = [
    [1, 2, 3, 4, 5, 6],
    [11, 12, 13, 14, 15, 16]
  ]
  it.effect.each<readonly [string, ReadonlyArray<number>, boolean, string]>([
    ["the first page, oldest first", late, false, "may end before the payment"],
    ["the first page, newest first", early, true, "may begin after the payment"]
  ])(
    "a search with one page that gets only %s does not say that 6 of 6 payments were not made",
    ([, minutes, isNewestFirst, reason]) =>
      Effect.gen(function* () {
        const rows = rowsOf(minutes, 18)
        const firstPage = (isNewestFirst ? rows.toReversed() : rows).slice(0, 10)
        for (const found of yield* lookForEach(minutes, () => page(firstPage), { isWhole: true })) {
          assert(Result.isFailure(found), JSON.stringify(found))
          assert.include(found.failure.message, reason)
        }
      })
  )

  it.effect("a search with one page says that a payment was not made if the rows lie on both of its sides", () =>
    Effect.gen(function* () {
      const respond = () => page(rowsOf([], 60))
      const found = yield* lookForEach([0, 10, 29, 50], respond, { isWhole: true })
      assert.deepStrictEqual(found.map(tagOf), ["NotFoundSoFar", "NotFoundSoFar", "HistoryUnproven", "HistoryUnproven"])
    })
  )

  it.effect("a history without a way to its next page proves nothing", () =>
    Effect.gen(function* () {
      const found = yield* lookForEach([0, 10], () => page(rowsOf([0], 60)), { isOpen: true })
      assert.deepStrictEqual(found.map(tagOf), ["Found", "PagesIncomplete"])
    })
  )

  it.effect("an unfiltered list that repeats and drops rows fails only the payments that it does not show", () =>
    Effect.gen(function* () {
      const rows = rowsOf([1, 2, 3], 5)
      const respond: Respond = ({ url }) => {
        const at = Number(new URL(url).searchParams.get("page"))
        // The second page begins with a row of the first one, and the third row is on no page.
        return page([[rows[0]!, rows[1]!], [rows[1]!, rows[2]!], []][at - 1] ?? [])
      }
      const found = yield* lookForEach([1, 2, 3], respond)
      assert.deepStrictEqual(found.map(tagOf), ["Found", "Found", "PagesIncomplete"])
    })
  )
})
