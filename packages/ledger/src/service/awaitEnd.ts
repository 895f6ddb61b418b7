/** Waits for the end of a payout, and says what it waits for. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LedgerError, LedgerStopped, PayoutFailed, PayoutRefused, PayoutUndecided } from "../payouts/LedgerError.ts"
import type { Payout, PayoutState } from "../payouts/Payout.ts"
import type { Progress } from "../payouts/read.ts"
import type { Service } from "./service.ts"

const [firstWait, maxWait] = [50, 2_000]

/** How long after a payout was first seen in a state the log says what it waits for, in milliseconds. */
const sayAfter = 5_000

/** The payout if it is paid, the error if it ended otherwise, and `undefined` while it goes on. */
const end = (payout: Payout): Effect.Effect<Payout, PayoutFailed | PayoutRefused | PayoutUndecided> | undefined => {
  const { detail, intentAt, reference, state, submittedAt, transactionId } = payout
  switch (state) {
    case "paid":
      return Effect.succeed(payout)
    case "failed":
      return Effect.fail(new PayoutFailed({ reference, transactionId: transactionId ?? "", status: detail ?? "" }))
    case "refused":
      return Effect.fail(new PayoutRefused({ reference, reason: detail ?? "the service refused it" }))
    case "cancelled":
      return Effect.fail(new PayoutRefused({ reference, reason: `cancelled: ${detail ?? ""}` }))
    case "undecided":
    case "mismatched":
      return Effect.fail(new PayoutUndecided({ reference, since: intentAt ?? submittedAt, evidence: detail ?? "" }))
    default:
      return undefined
  }
}

/** Why a payout was not sent yet. */
const whyReady = (
  { assetId, detail, reference }: Payout,
  { alarms, changedAt, confirmations, reading, waiting }: Progress
): string => {
  if (alarms.length > 0) return new LedgerStopped({ payouts: alarms }).message
  if (changedAt !== null) {
    const since = DateTime.formatIso(changedAt)
    return `since ${since} the database is another one, and a worker has to compare it with the history first`
  }
  const twin = waiting.find((one) => one.reference === reference)
  if (twin !== undefined) return `${twin.waitsFor} is equal to it, may have been sent, and has to end first`
  const first = confirmations.find((one) => one.assetId === assetId)
  if (first !== undefined) {
    const missing = first.shownAt === null ? "the service has to show it" : "a person has to confirm it"
    return `${first.reference} is the first payout of ${assetId} with its contract: ${missing}`
  }
  if (reading !== null && !reading.isDone) return "a worker has to read the history before the first payout"
  return `Payouts.run has to run, here or in another process${detail === null ? "" : ` (${detail})`}`
}

/** Says what an open payout waits for, and until when. */
const describeWait = Effect.fnUntraced(function* ({ progress }: Pick<Service, "progress">, payout: Payout) {
  const { batch, lookedForUntil, state, transactionId } = payout
  switch (state) {
    case "ready":
      return whyReady(payout, yield* progress(batch))
    case "held":
      return "another person has to approve it"
    case "accepted":
      return `transaction ${transactionId} is not final yet`
    default: {
      const until = lookedForUntil === null ? "" : ` until ${DateTime.formatIso(lookedForUntil)}`
      return `it may have been sent, and a worker looks for it in the history${until}; then a person has to decide`
    }
  }
})

export const awaitEnd = Effect.fnUntraced(function* (
  ledger: Pick<Service, "get" | "progress">,
  reference: string
): Effect.fn.Return<Payout, PayoutFailed | PayoutRefused | PayoutUndecided | LedgerError> {
  /** From when on each state is said: once. */
  const sayAt = new Map<PayoutState, number>()
  for (let wait = firstWait; ; wait = Math.min(wait * 1.5, maxWait)) {
    const found = yield* ledger.get(reference)
    if (Option.isNone(found)) {
      return yield* new LedgerError({ operation: "read", reason: `it has lost payout ${reference}` })
    }
    const payout = found.value
    const ended = end(payout)
    if (ended !== undefined) return yield* ended
    const { state } = payout
    const now = yield* Clock.currentTimeMillis
    const at = sayAt.get(state) ?? now + sayAfter
    sayAt.set(state, at)
    if (now >= at) {
      const text = yield* describeWait(ledger, payout)
      yield* Effect.logWithLevel(state === "accepted" ? "Info" : "Warn")(`payout ${reference} is ${state}: ${text}`)
      sayAt.set(state, Infinity)
    }
    yield* Effect.sleep(Duration.millis(wait))
  }
})
