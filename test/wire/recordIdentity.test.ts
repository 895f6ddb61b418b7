/** A read by an id is not answered by another record, and a record may show its id in more than one place. */
import type { CustodyClient } from "@effect-custody/core"
import { Clients, Nfts, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { clientOf, serverWithSession, http1Transports } from "../support/clients/wireClient.ts"
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
    operation: "nfts.get",
    path: "/nfts/5",
    call: Nfts.get({ nftId: "5" }),
    own: [{ id: 5 }, { id: "nft-1", tokenId: 5 }, { id: "nft-1", nft_id: "5" }],
    other: [{ id: 6 }, { id: "nft-1", tokenId: 6 }, { id: 6, walletId: 5 }]
  }
]

/** How a call ends if the service answers it with this data. */
const ended = (call: Call, path: string, data: object) =>
  Effect.gen(function* () {
    const server = yield* serverWithSession(() => json(200, { message: "ok", data, status: 200 }))
    const outcome = yield* Effect.result(call).pipe(Effect.provide(clientOf(server, http1Transports[0])))
    assert.strictEqual(server.received.at(-1)?.target, `/api/integration${path}`)
    return outcome
  })

describe("a read by id", () => {
  for (const { call, operation, other, own, path } of reads) {
    it.live(`${operation} accepts its id in any known place, and refuses another record`, () =>
      Effect.gen(function* () {
        for (const data of own) assert.isTrue(Result.isSuccess(yield* ended(call, path, data)), JSON.stringify(data))
        for (const data of other) {
          const outcome = yield* ended(call, path, data)
          assert(Result.isFailure(outcome), JSON.stringify(data))
          assert.strictEqual(outcome.failure._tag, "UnexpectedResponse")
          assert.include(outcome.failure.message, "another id than the one that was asked for")
        }
      })
    )
  }
})
