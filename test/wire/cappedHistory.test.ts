/** The history of a service that caps its pages, in which a payout is looked for: it is read to its end, and once. */
import { Amount, Environment, WireContract } from "@effect-custody/core"
import { CustodyApi, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { json, wireServer } from "../support/servers/wireServer.ts"
import { clientOf } from "./vectors/run.ts"

const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.5"), note: "payout 7" }

const rows = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `{"id":"t-${from + at}","status":"COMPLETED","amount":"1"}`).join(",")

const ours =
  '{"id":"t-24","status":"COMPLETED","clientId":"alice","assetId":"usdc","amount":"12.5","to":"0xabc","note":"payout 7"}'

const notFound = json(404, '{"status":404,"message":"No such page","errors":{},"code":"E40404"}')

const page = (data: string, meta: string) => json(200, `{"message":"OK","status":200,"data":[${data}],"meta":${meta}}`)

/**
 * What `find` says of a history, by the page that is asked for, and after how many requests. If it is not there, the
 * history of all assets is read too.
 */
const found = (answer: (page: number) => ReturnType<typeof json>) =>
  Effect.gen(function* () {
    const server = yield* wireServer(({ target }) =>
      answer(Number(new URLSearchParams(target.split("?")[1]).get("page")))
    )
    const { _tag } = yield* Transactions.find(payout, { since: DateTime.makeUnsafe(0) }).pipe(
      Effect.provide(
        clientOf(Environment.local(server.baseUrl)).pipe(
          Layer.provide([FetchHttpClient.layer, WireContract.layer({}, CustodyApi)])
        )
      )
    )
    return [_tag, server.received.length] as const
  })

describe("a history in capped pages", () => {
  it.live("is at its end where the last page comes again", () =>
    Effect.gen(function* () {
      const answer = page(rows(0, 50), '{"itemsPerPage":50,"hasNextPage":false,"currentPage":1}')
      assert.deepStrictEqual(yield* found(() => answer), ["NotFoundSoFar", 2 * (2 + 2)])
    })
  )

  it.live("is at its end where the page after the last is refused", () =>
    Effect.gen(function* () {
      const three = page(rows(0, 3), '{"itemsPerPage":3,"hasNextPage":false}')
      assert.deepStrictEqual(yield* found((page) => (page === 1 ? three : notFound)), ["NotFoundSoFar", 2 * (2 + 2)])
    })
  )

  it.live("is read on where its pages are counted by the limit that was asked for: the payout is found", () =>
    Effect.gen(function* () {
      const meta = (page: number) => `{"totalPages":1,"itemsPerPage":10,"currentPage":${page}}`
      const data = ["", rows(0, 10), rows(10, 20), `${rows(20, 24)},${ours}`]
      assert.deepStrictEqual(yield* found((at) => (data[at] === undefined ? notFound : page(data[at], meta(at)))), [
        "Found",
        4
      ])
    })
  )
})
