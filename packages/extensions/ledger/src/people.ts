/** What people do to payouts: approve, cancel, decide, and send again what was refused. */
import * as Amount from "@effect-custody/core/Amount"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { alarmed, type Database, durably, reporting, type RowError, stopped } from "./database.ts"
import { describe, judge, stepAfterStatus } from "./evidence.ts"
import * as Foreign from "./foreign.ts"
import { foundBy, get as getTransaction, makePace, readOne, search, type Searched } from "./history.ts"
import type { Ledger } from "./ledger.ts"
import { LedgerError, StepRefused } from "./LedgerError.ts"
import type { Payout } from "./Payout.ts"
import * as PayoutRows from "./payoutRows.ts"
import { ofTarget } from "./payoutRows.ts"
import * as Read from "./read.ts"
import { findPayouts } from "./read.ts"
import { type Move, record, settle, takeSteps } from "./settle.ts"
import { type Step, stepRule } from "./siblings/Transitions.ts"

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
  database: Database,
  references: ReadonlyArray<string>,
  transactionId = ""
): Effect.fn.Return<string, SqlError> {
  const owner = (yield* PayoutRows.findOwners(database, [transactionId])).get(transactionId)
  return owner === undefined || references.includes(owner)
    ? "it has just moved on"
    : `${transactionId} is the transaction of ${owner}`
})

/** A person has looked at a clash, or at an end that was reversed. */
export const acknowledge = Effect.fnUntraced(
  function* (
    database: Database,
    reference: string,
    { by, reason }: Pick<PersonStep, "by" | "reason">
  ): Effect.fn.Return<void, SqlError | StepRefused> {
    const { durable, sql } = database
    const clear = (table: string) => sql`UPDATE ${sql(table)} SET alarm = NULL, alarm_detail = NULL
      WHERE reference = ${reference} AND alarm IN ('clash', 'reversed') AND ${durable} RETURNING reference`
    if ((yield* clear("payouts")).length === 0 && (yield* clear("archived_payouts")).length === 0) {
      return yield* new StepRefused({
        step: "acknowledge",
        subject: reference,
        reason: "the ledger shows no clash of it, and no reversed end"
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
    { by, name, reason, refuse, step: asked, transactionId, unchecked }: PersonStep
  ): Effect.fn.Return<number, RowError | StepRefused> {
    const subject = typeof target === "string" ? target : target.batch
    const found = yield* findPayouts(database, ofTarget(database, target))
    const behind = found.find(({ alarm }) => alarm === "behind")
    const step = asked === "decidedNotPaid" && behind?.reference === target ? "decidedUnpaid" : asked
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
    if (name === "cancel" && behind !== undefined) {
      return yield* refused(`the history shows ${behind.reference} already: decide about it`)
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
      if (asked === "decidedNotPaid") yield* Foreign.dismiss(database, part)
    }
    if (moved === rows.length || (moved > 0 && refuse === undefined)) return moved
    const references = rows.map(({ reference }) => reference)
    return yield* refused(yield* whyUnmoved(database, references, transactionId))
  },
  (work, database) => durably(database)(work)
)

// ---- What a second person approves, and who is another person. Pure.

/**
 * The held payouts of a batch, as a person sees them before the approval.
 *
 * @since 0.1.0
 * @category models
 */
export interface Review {
  readonly batch: string
  /** The fingerprint of these payouts: another payout, another order or one payout fewer has another. */
  readonly digest: string
  /** In the order of their references. */
  readonly payouts: ReadonlyArray<Payout>
}

const digestOf = (payouts: ReadonlyArray<Payout>): string =>
  ExactJson.hash(
    payouts.map(({ amount, assetId, clientId, networkId, note, reference, to }) => [
      reference,
      clientId,
      assetId,
      networkId,
      to,
      Amount.format(amount),
      note
    ])
  )

/** Sorts here, because databases order texts in ways of their own. */
export const makeReview = (batch: string, held: ReadonlyArray<Payout>): Review => {
  const payouts = held.toSorted((a, b) => (a.reference < b.reference ? -1 : 1))
  return { batch, digest: digestOf(payouts), payouts }
}

/** A name without what a reader does not see: letter case, forms of one letter, white space and invisible characters. */
const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    // Both, because only the upper case of `ß` is `SS`.
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\s+/gu, " ")
    .trim()

export const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other)

/** Why a person may not approve these payouts. */
export const refuseApproval = (
  { digest, payouts }: Review,
  { by, digest: seen }: { readonly by: string; readonly digest: string }
): string | undefined => {
  const own = payouts.find(({ submittedBy }) => isSameName(submittedBy, by))
  if (own !== undefined) return `${own.submittedBy} has submitted it`
  return digest === seen ? undefined : "it has changed since it was reviewed: review it again"
}

// ---- Looks at the service before a person's decision: the decision is final, and the history may have caught up.

/** The maximum number of payouts that one search is about. */
const maxSearched = 1_000

const subjectOf = (target: Target): string => (typeof target === "string" ? target : target.batch)

const isLedgerError = Schema.is(LedgerError)

const insist = "to decide all the same, use unchecked (--unchecked)"

/** The payouts that each step sends again, and that the service may have. */
const sentAgain = {
  decide: "state = 'undecided' AND (attempt > 0 OR transaction_id IS NOT NULL)",
  "send again": `${stopped} AND state = 'refused'`
} as const

/**
 * Finds the payouts of a target in the history, from their first attempts on, before a person's step sends them again. Those
 * that it shows are accepted. Fails if it shows the payout that the step is about; if the service still has the transaction
 * of a payout; if the history shows a transaction that may be one of the payouts, and that the evidence of the payout does
 * not name; and if the history cannot be read.
 */
export const findPaid = Effect.fnUntraced(function* (
  ledger: Ledger,
  target: Target,
  name: keyof typeof sentAgain
): Effect.fn.Return<void, StepRefused | LedgerError, CustodyClient> {
  const refuse = (reason: string) => new StepRefused({ step: name, subject: subjectOf(target), reason })
  const looking = <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(
      reporting(name),
      Effect.mapError((error) =>
        isLedgerError(error)
          ? error
          : refuse(`the history could not be read (${(error as { readonly message: string }).message}); ${insist}`)
      )
    )
  const { database } = ledger
  const { sql } = database
  const of = PayoutRows.ofTarget(database, target)
  const [mismatched] =
    name === "send again"
      ? []
      : yield* looking(
          PayoutRows.findFollowed(database, sql`${sql.literal(stopped)} AND state = 'mismatched' AND ${of} LIMIT 1`)
        )
  if (mismatched !== undefined) {
    const { reference, transactionId } = mismatched
    return yield* refuse(
      `the service shows ${reference} as transaction ${transactionId}; if that is another payment, use unchecked (--unchecked)`
    )
  }
  const pace = makePace()
  const refuseShown = Effect.fnUntraced(function* (id: string, isNoPayment: (status: string) => boolean) {
    const shown = yield* looking(readOne(pace, id))
    if (Result.isFailure(shown) && !shown.failure.isCertain) {
      return yield* refuse(`the service itself does not say that it has no transaction ${id}; ${insist}`)
    }
    if (Result.isSuccess(shown) && !isNoPayment(shown.success.status)) {
      return yield* refuse(`the service has its transaction ${id}, which is ${shown.success.status}; ${insist}`)
    }
  })
  if (typeof target === "string" && name === "decide") {
    const behind = yield* looking(sql<{ readonly detail: string }>`SELECT alarm_detail AS detail FROM payouts
      WHERE ${sql.literal(alarmed)} AND alarm = 'behind' AND ${of}`)
    for (const { detail } of behind) {
      yield* refuseShown(detail.split(" ")[0]!, (status) => stepAfterStatus(status) === "failed")
    }
  }
  for (let after: string | undefined = ""; after !== undefined;) {
    const payouts: ReadonlyArray<PayoutRows.Followed> = yield* looking(
      PayoutRows.findFollowed(
        database,
        sql`${sql.literal(sentAgain[name])} AND reference > ${after} AND ${of} ORDER BY reference LIMIT ${maxSearched}`
      )
    )
    const searched: Searched = yield* looking(search(ledger, payouts))
    const steps = foundBy(searched)
    yield* looking(takeSteps(ledger, steps))
    const [first] = steps
    if (typeof target === "string" && first !== undefined) {
      return yield* refuse(`the history shows it: transaction ${first.transactionId}`)
    }
    for (const { move, payout } of searched) {
      // The step after a search is not taken, and the service itself has to say that it does not have the transaction.
      if (move.step === "missing" && payout.transactionId !== null)
        yield* refuseShown(payout.transactionId, () => false)
    }
    const doubt = searched.find((one) => one.doubt !== undefined)?.doubt
    if (doubt !== undefined) return yield* refuse(`${doubt}; ${insist}`)
    after = payouts.at(-1)?.reference
  }
})

/** Fails if the service does not have the transaction by which a payout was paid, or if it differs from the payout. */
export const checkPaid = Effect.fnUntraced(function* (
  { database }: Ledger,
  target: Target,
  transactionId: string
): Effect.fn.Return<void, StepRefused | LedgerError, CustodyClient> {
  const refuse = (reason: string) => new StepRefused({ step: "decide", subject: subjectOf(target), reason })
  if (typeof target !== "string") return yield* refuse("a transaction pays one payout: give its reference")
  const payout = yield* reporting("read")(Read.get(database, target))
  // The step itself refuses what the ledger does not have.
  if (Option.isNone(payout)) return
  const skip = "to decide all the same, skip the check with unchecked (--unchecked)"
  const transaction = yield* Effect.mapError(getTransaction(transactionId), (error) =>
    refuse(
      error._tag === "NotFound"
        ? `the service has no transaction ${transactionId}; ${skip}`
        : `transaction ${transactionId} could not be read (${error.message}); ${skip}`
    )
  )
  const judgement = judge(Object.assign({}, payout.value, { transactionId: transaction.id }), transaction)
  if (judgement.verdict === "is") return
  const is = judgement.contradicts ? "is" : "may be"
  return yield* refuse(`${transactionId} ${is} another payment (${describe(judgement)}); ${skip}`)
})
