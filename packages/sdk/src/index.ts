/**
 * The entry point of the SDK: every category as a namespace, the client for all of them, and all of
 * `@effect-custody/core`. `@effect-custody/authentication` has the modules for stores and tools.
 */
export * from "@effect-custody/core"
export { Assets } from "@effect-custody/assets"
export { Authentication } from "@effect-custody/authentication"
export { Clients } from "@effect-custody/clients"
export { FiatGateway } from "@effect-custody/fiat-gateway"
export { Nfts } from "@effect-custody/nfts"
export { PaymentOrders } from "@effect-custody/payment-orders"
export { Tokens } from "@effect-custody/tokens"
export { Transactions } from "@effect-custody/transactions"
export { Vaults } from "@effect-custody/vaults"
export { Wallets } from "@effect-custody/wallets"
export * as Custody from "./Custody.ts"
export { CustodyApi } from "./CustodyApi.ts"
export * as EnvironmentConfig from "./EnvironmentConfig.ts"

// The client, its session and its policy.
export { ApiKeySource, SessionTiming } from "@effect-custody/authentication/SessionOptions"
export * as RowStore from "@effect-custody/authentication/RowStore"
export { TokenStore } from "@effect-custody/authentication/TokenStore"
