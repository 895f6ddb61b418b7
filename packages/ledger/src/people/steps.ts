/** What people do to payouts: approve, cancel, decide, and send again what was refused. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, durably } from "../database/database.ts"
import type { RowError } from "../database/rows.ts"
import { ofTarget } from "../payouts/followed.ts"
import * as Foreign from "../payouts/unmatchedTransactions.ts"
import { StepRefused } from "../payouts/LedgerError.ts"
import { toRow } from "../payouts/orders.ts"
import type { Payout } from "../payouts/Payout.ts"
import { findPayouts } from "../payouts/read.ts"
import { type Move, record, settle } from "../payouts/writeState.ts"
import { type Step, stepRule } from "../payouts/Transitions.ts"

/**
 * A payout by its reference, or the payouts of a batch.
 *
 * @since 0.1.0
 * @category models
 */
export type Target = string | { readonly batch: string }

export interface PersonStep {
  readonly name: StepRefused["step"]
  readonly step: Step
  readonly by: string
  readonly reason?: string | undefined
  readonly transactionId?: string | undefined
  /** `true` if the ledger is to take the transaction as it is. */
  readonly unchecked?: boolean | undefined
  /** Refuses the payouts for a reason of its own. They then take the step together, or none does. */
  readonly refuse?: (payouts: ReadonlyArray<Payout>) => string | undefined
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
      : yield* sql<{
          readonly reference: string
        }>`SELECT reference FROM payouts WHERE transaction_id = ${transactionId}`
  return owner === undefined || references.includes(owner.reference)
    ? "it has just moved on"
    : `${transactionId} is the transaction of ${owner.reference}`
})

/** A person has looked at a clash. */
export const acknowledge = Effect.fnUntraced(
  function* (
    database: Database,
    reference: string,
    { by, reason }: Pick<PersonStep, "by" | "reason">
  ): Effect.fn.Return<void, SqlError | StepRefused> {
    const { durable, sql } = database
    const cleared = yield* sql`UPDATE payouts SET alarm = NULL, alarm_detail = NULL
      WHERE reference = ${reference} AND alarm = 'clash' AND ${durable} RETURNING reference`
    if (cleared.length === 0) {
      return yield* new StepRefused({
        step: "acknowledge",
        subject: reference,
        reason: "the ledger shows no clash of it"
      })
    }
    yield* record(database, by, [{ reference, step: "acknowledged", detail: reason }])
  },
  (work, database) => durably(database)(work)
)

/** Takes a person's step for a payout, or for all payouts of a batch to which it applies. Returns their number. */
export const take = Effect.fnUntraced(
  function* (
    database: Database,
    target: Target,
    { by, name, reason, refuse, step, transactionId, unchecked }: PersonStep
  ): Effect.fn.Return<number, RowError | StepRefused> {
    const subject = typeof target === "string" ? target : target.batch
    const found = yield* findPayouts(database, ofTarget(database, target))
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
    const why = refuse?.(rows)
    if (why !== undefined) return yield* refused(why)
    let moved = 0
    for (let at = 0; at < rows.length; at += chunk) {
      const part = rows.slice(at, at + chunk)
      const moves = part.map(({ attempt, reference }): Move => ({
        reference,
        attempt,
        step,
        transactionId,
        detail: reason,
        unchecked
      }))
      moved += (yield* settle(database, by, moves)).size
      if (step === "approved")
        yield* Foreign.doubtSuspected(
          database,
          by,
          moves.map(({ reference }) => reference)
        )
      if (step === "decidedNotPaid") yield* Foreign.dismiss(database, part.map(toRow))
    }
    if (moved === rows.length || (moved > 0 && refuse === undefined)) return moved
    const references = rows.map(({ reference }) => reference)
    return yield* refused(yield* whyUnmoved(database, references, transactionId))
  },
  (work, database) => durably(database)(work)
)
