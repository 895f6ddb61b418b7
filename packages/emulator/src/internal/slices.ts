/** Every part of the state that there is: what a snapshot holds. A category that keeps state has a line here. */
import * as Books from "./books.ts"
import * as Catalogue from "./catalogue.ts"
import * as Clients from "./clients.ts"
import * as FiatGateway from "./fiatGateway.ts"
import * as Nfts from "./nfts.ts"
import * as PaymentOrders from "./paymentOrders.ts"
import * as Refunds from "./refunds.ts"
import * as Sessions from "./sessions.ts"
import type { Slice } from "./slice.ts"
import * as Tokens from "./tokens.ts"
import * as Transactions from "./transactions.ts"
import type { Vault, World } from "./world.ts"

export const ofWorld: ReadonlyArray<Slice<any, World>> = [Sessions.slice]

export const ofVault: ReadonlyArray<Slice<any, Vault>> = [
  Catalogue.slice,
  Clients.slice,
  Books.slice,
  Transactions.slice,
  Tokens.slice,
  Nfts.slice,
  PaymentOrders.slice,
  FiatGateway.slice,
  Refunds.slice
]
