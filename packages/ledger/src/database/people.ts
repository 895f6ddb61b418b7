/** What people do to payouts: approve, cancel, decide, and send again what was refused. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { StepRefused } from "../model/LedgerError.ts"
import type { PayoutState } from "../model/Payout.ts"
import { type Step, stepRule } from "../model/Transitions.ts"
import { type Database, durably } from "./database.ts"
import { settle } from "./settle.ts"

/**
 * A payout by its reference, or the payouts of a batch.
 *
 * @since 0.1.0
 * @category models
 */
export type Target = string | { readonly batch: string }

interface Row {
  readonly reference: string
  readonly attempt: unknown
  readonly state: PayoutState
  readonly submitted_by: string
}

export interface PersonStep {
  readonly name: StepRefused["step"]
  readonly step: Step
  readonly by: string
  readonly reason?: string | undefined
  readonly transactionId?: string | undefined
  /** Refuses a payout for a reason of its own. */
  readonly refuse?: (payout: { readonly submittedBy: string }) => string | undefined
}

const chunk = 1_000

const untilUndecided =
  ": a worker looks for it in the history for undecidedAfter (--undecided-after), and then makes it undecided"

/** Why no row moved: the transaction is another payout's, or the rows changed meanwhile. */
const whyUnmoved = Effect.fnUntraced(function* (
  { sql }: Database,
  references: ReadonlyArray<string>,
  transactionId: string | undefined
): Effect.fn.Return<string, SqlError> {
  const [owner] =
    transactionId === undefined
      ? []
      : yield* sql<Pick<Row, "reference">>`SELECT reference FROM payouts WHERE transaction_id = ${transactionId}`
  return owner === undefined || references.includes(owner.reference)
    ? "it has just moved on"
    : `${transactionId} is the transaction of ${owner.reference}`
})

/** Takes a person's step for a payout, or for all payouts of a batch to which it applies. Returns their number. */
export const take = Effect.fnUntraced(
  function* (
    database: Database,
    target: Target,
    { by, name, reason, refuse, step, transactionId }: PersonStep
  ): Effect.fn.Return<number, SqlError | StepRefused> {
    const { sql } = database
    const [column, subject] = typeof target === "string" ? ["reference", target] : ["batch", target.batch]
    const found = yield* sql<Row>`SELECT reference, attempt, state, submitted_by FROM payouts
      WHERE ${sql.literal(column)} = ${subject}`
    const { from } = stepRule[step]
    const rows = found.filter(({ state }) => from.includes(state))
    const refused = (why: string) => new StepRefused({ step: name, subject, reason: why })
    const [first] = found
    if (first === undefined) return yield* refused("the ledger does not have it")
    if (rows.length === 0) {
      const states = [...new Set(found.map(({ state }) => state))].join(", ")
      const waits = name === "decide" && found.some(({ state }) => state === "unknown")
      return yield* refused(`it is ${states}, and has to be ${from.join(" or ")}${waits ? untilUndecided : ""}`)
    }
    for (const row of rows) {
      const why = refuse?.({ submittedBy: row.submitted_by })
      if (why !== undefined) return yield* refused(why)
    }
    let moved = 0
    for (let at = 0; at < rows.length; at += chunk) {
      const moves = rows.slice(at, at + chunk).map(({ attempt, reference }) => ({
        reference,
        attempt: Number(attempt),
        step,
        transactionId,
        detail: reason
      }))
      moved += (yield* settle(database, by, moves)).size
    }
    if (moved > 0) return moved
    const references = rows.map(({ reference }) => reference)
    return yield* refused(yield* whyUnmoved(database, references, transactionId))
  },
  (work, database) => durably(database)(work)
)
