/** Payouts that are paid once, in a ledger on SQLite or PostgreSQL. */
export * as Feed from "./Feed.ts"
export * as LedgerSqlite from "./database/LedgerSqlite.ts"
export * from "./payouts/LedgerError.ts"
export { Payout, PayoutEvent, PayoutState } from "./payouts/Payout.ts"
export * as Payouts from "./Payouts.ts"
export * as TieOut from "./TieOut.ts"
