/** The types of polling, and of inputs. */
import { type Transaction, Transactions } from "@effect-custody/transactions"
import { Amount, type CustodyClient, type Id } from "@effect-custody/core"
import type { Effect, Stream } from "effect"
import type { ReadOfResource, TagsOf } from "../../../test/support/errorTags.ts"
import type { Equal, Expect } from "../../../test/support/types.ts"

/** A wait fails as a read does, or at its deadline. */
export type AwaitFinal = Expect<Equal<TagsOf<typeof Transactions.awaitFinal>, ReadOfResource | "StillPending">>

/** A watch has no deadline. */
export type Watch = Expect<Equal<Stream.Error<ReturnType<typeof Transactions.watch>>["_tag"], ReadOfResource>>

/** A wait returns the whole transaction. */
export type Awaited = Expect<Equal<Effect.Success<ReturnType<typeof Transactions.awaitFinal>>, Transaction>>

/** Every function needs the client and nothing else. */
export type Needs = Expect<Equal<Effect.Services<ReturnType<typeof Transactions.awaitFinal>>, CustodyClient>>

declare const wallet: Id.WalletId
declare const client: Id.ClientId

const amount = Amount.of("1")

/** A plain string names a thing, and so does its brand. */
export const plain = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x", amount })
export const branded = Transactions.send({ clientId: client, assetId: "usdc", to: "0x", amount })

// @ts-expect-error A wallet's id does not name a client.
export const mistaken = Transactions.send({ clientId: wallet, assetId: "usdc", to: "0x", amount })

// @ts-expect-error An amount is not a number.
export const inexact = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x", amount: 12.5 })

/** An editor completes known names, and other names compile too. */
export const known = Transactions.list({ status: "COMPLETED" })
export const other = Transactions.list({ status: "FROZEN" })
