/** Payouts that are paid once, in a ledger on SQLite or PostgreSQL. */
export { Payout, PayoutEvent, PayoutState } from "./Payout.ts"
export * as Feed from "./Feed.ts"
export * as LedgerSqlite from "./LedgerSqlite.ts"
export * from "./LedgerError.ts"
export * as Payouts from "./Payouts.ts"
export * as TieOut from "./TieOut.ts"
