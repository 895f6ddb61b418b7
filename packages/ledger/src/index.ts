/** Payouts that are paid once, in a ledger on SQLite or PostgreSQL. */
export * as Feed from "./Feed.ts"
export * as LedgerSqlite from "./database/LedgerSqlite.ts"
export * from "./model/LedgerError.ts"
export { Payout, PayoutEvent, PayoutState } from "./model/Payout.ts"
export * as Payouts from "./Payouts.ts"
export * as TieOut from "./TieOut.ts"
