/** What the page of `custody payouts serve` shows. */
import * as Amount from "@effect-custody/core/Amount"
import type { Payout } from "@effect-custody/ledger/Payout"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as FirstPayout from "./firstPayout.ts"
import * as States from "./states.ts"
import * as Status from "./status.ts"

const maxShown = 100

const time = (at: DateTime.Utc | null): string => (at === null ? "" : DateTime.formatIso(at))

const sumOf = ({ amount, assetId, networkId }: Payout): string =>
  `${Amount.format(amount)} ${assetId}${networkId === null ? "" : ` on ${networkId}`}`

/** What is known of a payout that a person decides about. `transaction`: the one that may be its payment. */
const describePayout = Effect.fnUntraced(function* (payout: Payout, transaction: string) {
  const { attempt, batch, clientId, detail, intentAt, note, reference, state, to } = payout
  const steps = yield* Payouts.events(reference)
  return {
    reference,
    attempt,
    state,
    transaction,
    // A payout that this ledger has never sent can be paid or cancelled.
    isUnsent: state !== "undecided" && state !== "mismatched",
    known: {
      amount: sumOf(payout),
      from: clientId,
      to,
      note,
      why: detail ?? "",
      sent: intentAt === null ? "not by this ledger" : `${time(intentAt)}, attempt ${attempt}`,
      submitted: `${time(payout.submittedAt)} by ${payout.submittedBy}, batch ${batch}`
    },
    steps: steps.map(({ at, by, detail, state, step }) =>
      [time(at), by, step, state, ...(detail === null ? [] : [detail])].join(" · ")
    )
  }
})

const findPayout = (reference: string) => Effect.map(Payouts.get(reference), Option.toArray)

/** The payouts that a person decides about: mismatched ones, those paid before this ledger sent them, undecided ones. */
const findToDecide = Effect.fnUntraced(function* ({ alarms, states }: Payouts.Progress) {
  const mismatched = yield* Payouts.list({ state: "mismatched", limit: maxShown })
  const undecided = yield* Payouts.list({ state: "undecided", limit: maxShown })
  const behind = yield* Effect.forEach(
    alarms.filter(({ alarm }) => alarm === "behind"),
    ({ detail, reference }) =>
      Effect.map(findPayout(reference), (found) => found.map((payout) => [payout, detail.split(" ")[0] ?? ""] as const))
  )
  const sent = [...mismatched, ...undecided].map((payout) => [payout, payout.transactionId ?? ""] as const)
  return {
    toDecide: yield* Effect.forEach([...behind.flat(), ...sent], ([payout, transaction]) =>
      describePayout(payout, transaction)
    ),
    more: States.count(states, "undecided", "mismatched") - sent.length
  }
})

const findFirstPayouts = ({ confirmations }: Payouts.Progress) =>
  Effect.map(
    Effect.forEach(
      confirmations.filter(({ shownAt }) => shownAt !== null),
      (first) => {
        const { assetId, contract, reference } = first
        return Effect.map(findPayout(reference), (found) =>
          found.map((payout) => ({ key: { assetId, contract, reference }, ...FirstPayout.show(first, payout) }))
        )
      }
    ),
    (found) => found.flat()
  )

export const read = Effect.gen(function* () {
  const batches = yield* Payouts.batches
  const progress = yield* Payouts.progress()
  const { alarms, states } = progress
  const unknown = yield* Payouts.list({ state: "unknown", limit: maxShown })
  return {
    alarms: alarms.map((alarm) => ({
      reference: alarm.reference,
      detail: alarm.detail,
      text: Status.describeAlarm(alarm),
      isClash: alarm.alarm === "clash"
    })),
    waits: Status.describeWaits(progress),
    reading: Status.describeReading(progress),
    first: yield* findFirstPayouts(progress),
    batches: batches.map(({ batch, states }) => ({
      batch,
      paid: States.count(states, "paid"),
      total: States.count(states, ...States.order),
      states: States.describe(states)
    })),
    held: batches.flatMap(({ batch, states }) => (States.count(states, "held") > 0 ? [batch] : [])),
    states: States.describe(states),
    ...(yield* findToDecide(progress)),
    unknown: unknown.map((payout) => ({
      reference: payout.reference,
      sum: sumOf(payout),
      sent: time(payout.intentAt),
      until: time(payout.lookedForUntil)
    })),
    moreUnknown: States.count(states, "unknown") - unknown.length
  }
})

/** What the page receives as JSON. */
export type PageState = Effect.Success<typeof read>
