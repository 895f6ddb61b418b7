/** What the processes of this benchmark share. */

/** The payments before those that are measured. */
export const warmUp = 1_000

/** The number of clients that pay. */
export const clients = 20

export interface Given {
  readonly baseUrl: string
  readonly apiKey: string
  readonly payouts: number
  /** How many payments are made at a time. */
  readonly concurrency: number
  /** The file of SQLite, the address of PostgreSQL, or nothing without a ledger. */
  readonly store: string
}

export interface Cost {
  /** The CPU time of a payment, in microseconds. It includes submitting and following the payout. */
  readonly cpu: number
  /** The CPU time from the end of `submit` until every payment was made, in microseconds. */
  readonly sending: number
  readonly seconds: number
}
