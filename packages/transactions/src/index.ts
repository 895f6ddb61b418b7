/** Transactions: send from client wallets to external addresses or between clients, and follow their progress. */
export * from "./records.ts"
export { ReconcileFailed, type Reconciliation } from "./Reconciliation.ts"
export * as Transactions from "./Transactions.ts"
