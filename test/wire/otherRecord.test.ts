/** A read by an id is not answered by another record, and a record may show its id in more than one place. */
import type { CustodyClient } from "@effect-custody/core"
import { Clients, FiatGateway, Nfts, Tokens, Vaults, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { clientOf, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { json } from "../support/servers/wireServer.ts"

type Call = Effect.Effect<unknown, { readonly _tag: string; readonly message: string }, CustodyClient>

interface Read {
  readonly operation: string
  readonly path: string
  readonly call: Call
  /** The data of answers that are of what was asked for. */
  readonly own: ReadonlyArray<object>
  /** The data of answers that are of something else. */
  readonly other: ReadonlyArray<object>
}

const wallet = { address: "0x52908400098527886E0F7030069857D2E4169EE7" }

const reads: ReadonlyArray<Read> = [
  {
    operation: "clients.get",
    path: "/clients/17",
    call: Clients.get({ externalId: "17" }),
    own: [
      { externalId: "17" },
      { externalId: 17, id: 4 },
      { externalId: "17", id: "a8098c1a-f86e-11da-bd1a-00112444be1e" },
      { externalId: "17", id: 4, reference: "bob" }
    ],
    other: [{ externalId: "bob" }, { externalId: "bob", id: 4 }, { externalId: "bob", id: 17 }]
  },
  {
    operation: "wallets.get",
    path: "/wallets/w-1",
    call: Wallets.get({ walletId: "w-1" }),
    own: [
      { id: "w-1", ...wallet },
      { id: "W-1", ...wallet },
      { id: 991, walletId: "w-1", ...wallet },
      { id: 991, uuid: "w-1", ...wallet }
    ],
    other: [
      { id: "w-2", ...wallet },
      { id: 2, ...wallet },
      { id: "w-2", clientId: "w-1", ...wallet }
    ]
  },
  {
    operation: "wallets.get, by an address",
    path: "/wallets/0x52908400098527886e0f7030069857d2e4169ee7",
    call: Wallets.get({ walletId: "0x52908400098527886e0f7030069857d2e4169ee7" }),
    own: [{ id: 991, ...wallet }],
    other: [{ id: 991, address: "0x8617E340B3D01FA5F11F306F4090FD50E238070D" }]
  },
  {
    operation: "wallets.balance",
    path: "/wallets/w-1/balance",
    call: Wallets.balance({ walletId: "w-1" }),
    own: [
      { balance: "5" },
      { id: "b-9", balance: "5" },
      { id: "b-9", walletId: "w-1", balance: "5" },
      { id: "usdc", assetId: "usdc", balance: "5" }
    ],
    other: [
      { walletId: "w-2", balance: "5" },
      { id: "b-9", wallet_id: 2, balance: "5" }
    ]
  },
  {
    operation: "wallets.transactionCount",
    path: "/wallets/1/transaction-count",
    call: Wallets.transactionCount({ walletId: "1" }),
    own: [{ transactionCount: 3 }, { id: 7, transactionCount: 3 }, { walletId: 1, transactionCount: 3 }],
    other: [{ walletId: 2, transactionCount: 1 }]
  },
  {
    operation: "tokens.get",
    path: "/tokens/tok-1",
    call: Tokens.get({ tokenId: "tok-1" }),
    own: [{ id: "tok-1" }, { id: 5, tokenId: "tok-1" }, { id: 5, contractAddress: "tok-1" }],
    other: [{ id: "tok-2" }, { id: "tok-2", symbol: "tok-1" }]
  },
  {
    operation: "nfts.get",
    path: "/nfts/5",
    call: Nfts.get({ nftId: "5" }),
    own: [{ id: 5 }, { id: "nft-1", tokenId: 5 }, { id: "nft-1", nft_id: "5" }],
    other: [{ id: 6 }, { id: "nft-1", tokenId: 6 }, { id: 6, walletId: 5 }]
  },
  {
    operation: "fiatGateway.getPaymentLink",
    path: "/fiat-gateway/payment-links/l-1",
    call: FiatGateway.getPaymentLink({ linkId: "l-1" }),
    own: [{ id: "l-1" }, { id: 5, linkId: "l-1" }, { id: 5, paymentLinkId: "l-1" }, { id: 5, reference: "l-1" }],
    other: [{ id: "l-2" }, { id: "l-2", transactionId: "l-1" }]
  },
  {
    operation: "vaults.approval",
    path: "/vaults/approvals/a-1",
    call: Vaults.approval({ approvalId: "a-1" }),
    own: [{ id: "a-1" }, { id: 5, approvalId: "a-1" }, { id: 5, requestId: "a-1" }],
    other: [{ id: "a-2" }, { id: "a-2", transactionId: "a-1" }]
  }
]

/** How a call ends if the service answers it with this data. */
const ended = (call: Call, path: string, data: object) =>
  Effect.gen(function* () {
    const server = yield* serverWithSession(() => json(200, { message: "ok", data, status: 200 }))
    const outcome = yield* Effect.result(call).pipe(Effect.provide(clientOf(server, transports[0])))
    assert.strictEqual(server.received.at(-1)?.target, `/api/integration${path}`)
    return outcome
  })

describe("A read by id", () => {
  for (const { call, operation, other, own, path } of reads) {
    it.live(`${operation}: an answer about what was asked for is read, wherever it shows its id`, () =>
      Effect.gen(function* () {
        for (const data of own) {
          assert.isTrue(Result.isSuccess(yield* ended(call, path, data)), JSON.stringify(data))
        }
      })
    )

    it.live(`${operation}: an answer about another record is none`, () =>
      Effect.gen(function* () {
        for (const data of other) {
          const outcome = yield* ended(call, path, data)
          assert(Result.isFailure(outcome), JSON.stringify(data))
          assert.strictEqual(outcome.failure._tag, "UnexpectedResponse")
          assert.include(outcome.failure.message, "another id than the one that was asked for")
        }
      })
    )
  }

  it.live("clients.find does not give another client", () =>
    Effect.gen(function* () {
      const find = Clients.find({ externalId: "alice" })
      const outcome = yield* ended(find, "/clients/alice", { externalId: "bob" })
      assert(Result.isFailure(outcome))
      assert.strictEqual(outcome.failure._tag, "UnexpectedResponse")
      const own = yield* ended(find, "/clients/alice", { externalId: "alice", id: 7 })
      assert(Result.isSuccess(own))
      assert.isTrue(Option.isSome(own.success as Option.Option<unknown>))
    })
  )

  it.live("what a service shows of a token's metadata, or of an NFT's transfers, has ids of its own", () =>
    Effect.gen(function* () {
      const metadata = yield* ended(Tokens.metadata({ tokenId: "tok-1" }), "/tokens/tok-1/metadata", {
        id: "m-7",
        tokenId: "1"
      })
      assert.isTrue(Result.isSuccess(metadata))
      const transfers = yield* ended(Nfts.transfers({ nftId: "5" }), "/nfts/5/transfers", [
        { id: "t-1" },
        { id: "t-2" }
      ])
      assert.isTrue(Result.isSuccess(transfers))
    })
  )
})
