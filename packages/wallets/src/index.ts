/** Wallets: blockchain addresses tied to clients. */
export { TransactionCount } from "./TransactionCount.ts"
export { Wallet } from "./Wallet.ts"
export { WalletBalance } from "./WalletBalance.ts"
export * as Wallets from "./Wallets.ts"
