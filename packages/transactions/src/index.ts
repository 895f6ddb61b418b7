/** Transactions: send from client wallets to external addresses or between clients, and follow what becomes of it. */
export { SubmittedTransaction, Transaction, TransactionStatus, TransactionType } from "./Transaction.ts"
export { ReconcileFailed, type Reconciliation } from "./Reconciliation.ts"
export * as Transactions from "./Transactions.ts"
export { TransactionsApi } from "./TransactionsApi.ts"
