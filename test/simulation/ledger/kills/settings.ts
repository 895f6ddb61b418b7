/** What the processes of an attack share. */

/** How payouts are sent. All but the first pay twice. */
export const ways = ["ledger", "retry", "activity", "queue"] as const

export interface Given {
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly store: string
  readonly prepare: boolean
  readonly baseUrl: string
  readonly apiKey: string
  readonly how: (typeof ways)[number]
  /** In milliseconds. */
  readonly attemptTimeout: number
}

export const settings = {
  attemptTimeout: 3_000,
  /** Longer than an intent is valid. */
  freeze: 8_000,
  /** How late a request may arrive. */
  late: 5_000,
  options: {
    validity: "5 seconds",
    // Longer than an intent is valid, an attempt may take, and a request may be late.
    undecidedAfter: "15 seconds",
    window: "1 minute",
    pollInterval: "100 millis"
  }
} as const
