/** How a list is paged is data beside its mapping: the same for an entry in code. */
import { type ContractFile, ServiceContract, Wire } from "@effect-custody/contract"
import { RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients, CustodyApi, Transactions, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { answered, layer, script, Scripted, sent } from "../../../test/support/clients/scriptedTransport.ts"

const wallets = Wire.make(Wallets.list, {
  route: "GET /accounts",
  request: {
    query: { owner: Schema.optionalKey(Schema.String), of: Schema.optionalKey(Schema.String) },
    write: ({ assetId, clientId }) => ({ query: { owner: clientId, of: assetId } }),
    read: ({ query }) => ({
      clientId: query.owner,
      assetId: query.of,
      networkId: undefined,
      order: undefined,
      search: undefined,
      sortKey: undefined
    })
  }
})

const styles: ReadonlyArray<readonly [style: string, paging: ContractFile.Defaults["paging"], pages: number]> = [
  ["the page as assumed", undefined, 3],
  ["a page from 0", { style: "page", page: "p", size: "n", first: 0 }, 3],
  ["an offset", { style: "offset", offset: "skip", size: "take" }, 3],
  ["a cursor", { style: "cursor", cursor: "after", next: "page.next" }, 3],
  ["the address of the next page", { style: "link", size: "page[size]", next: "links.next" }, 3],
  ["one page for all", "none", 1]
]

describe.each(styles)("a list that is paged by %s", (_, paging, pages) => {
  it.effect.each([
    ["data", true],
    ["code", wallets]
  ] as const)("has all of its rows once, in %s", ([, entry]) =>
    Effect.gen(function* () {
      const { received } = yield* CustodyEmulator
      yield* Clients.createMany({ externalIds: ["alice", "bob"] })
      const rows = yield* Stream.runCollect(Wallets.stream({ clientId: "alice", limit: 1 }))
      assert.strictEqual(new Set(rows.map(({ id }) => id)).size, 3)
      assert.isTrue(rows.every(({ clientId }) => clientId === "alice"))
      const requests = (yield* received).filter(({ operation }) => operation === "wallets.list")
      assert.isAtLeast(requests.length, pages)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          CustodyEmulator.layer,
          ServiceContract.layer(
            { defaults: paging === undefined ? {} : { paging }, operations: { "wallets.list": entry } },
            CustodyApi
          )
        )
      )
    )
  )
})

describe("the address of a next page", () => {
  const paging = { style: "link", size: "size", next: "links.next" } as const
  const contract = ServiceContract.layer(
    { defaults: { paging }, operations: { "transactions.list": true } },
    CustodyApi
  )
  const row = (id: string) => ({ id, status: "PENDING" })
  const pageTo = (next: string | null) => answered(200, { data: [row("t-1")], links: { next } })
  const read = Stream.runCollect(Transactions.stream({ clientId: "alice", limit: 1 }))
  const provided = Effect.provide(Layer.mergeAll(layer({ retry: RetryPolicy.none }), contract))

  it.effect.each(["http://localhost/api/integration/transactions?at=2", "/api/integration/transactions?at=2", "?at=2"])(
    "%s is asked below the base address, with the filters of the call",
    (next) =>
      Effect.gen(function* () {
        yield* script(pageTo(`${next}&clientId=bob`), answered(200, { data: [row("t-2")], links: {} }))
        assert.deepStrictEqual(
          (yield* read).map(({ id }) => String(id)),
          ["t-1", "t-2"]
        )
        const { queries } = yield* Scripted
        assert.deepStrictEqual(queries, [
          { clientId: "alice", size: "1" },
          { clientId: "alice", at: "2" }
        ])
      }).pipe(provided)
  )

  it.effect.each([
    ["https://elsewhere.example/api/integration/transactions?at=2", "another origin, which must not get the token"],
    ["//elsewhere.example/api/integration/transactions?at=2", "another origin, which must not get the token"],
    ["https://localhost/api/integration/transactions?at=2", "another origin, which must not get the token"],
    ["https://", "another origin, which must not get the token"],
    ["/api/integration/wallets?at=2", "another path than the list"]
  ])("%s is refused: it has %s", ([next, reason]) =>
    Effect.gen(function* () {
      yield* script(pageTo(next!))
      const error = yield* Effect.flip(read)
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", reason: `the next page has ${reason}` })
      assert.lengthOf(yield* sent, 1)
    }).pipe(provided)
  )
})
