/** What the processes of an attack share. */

/** How payouts are sent: with the ledger, or with a loop that repeats what failed, and pays twice. */
export const ways = ["ledger", "retry"] as const

export interface Given {
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly store: string
  /** The name of the dialect that the service speaks; without one, the emulator's wire. */
  readonly dialect: string | undefined
  /** The filters of the history that the contract calls proven. */
  readonly proven: ReadonlyArray<"clientId" | "assetId" | "from">
  readonly baseUrl: string
  readonly apiKey: string
  readonly how: (typeof ways)[number]
  /** In milliseconds. */
  readonly attemptTimeout: number
  /** How long an intent is valid, in milliseconds. */
  readonly validity: number
}

/** How late a request may arrive, in milliseconds. */
export const late = 5_000

export const attemptTimeout = 3_000

/** The settings of a ledger. `validity` is in milliseconds. */
export const optionsFor = (validity: number) => ({
  sendWithin: validity,
  // Longer than an intent is valid, an attempt may take, and a request may be late.
  undecidedAfter: validity + 10_000,
  clockSkew: 60_000,
  shownWithin: late,
  pollInterval: 100
})
