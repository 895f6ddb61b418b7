/** What a worker shows in Effect's metrics. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RowError } from "../database/rows.ts"
import { findAwaited } from "./gates.ts"
import { countOpen, findAlarms, type OpenCounts } from "./read.ts"
import { Alarm, type PayoutState } from "./Payout.ts"
import type { Ledger } from "./ledger.ts"

/**
 * The metrics of a worker, by their names in Prometheus. A `_total` is a counter, any other a gauge, renewed every 10
 * seconds. A worker records them as Effect's `Metric`s.
 *
 * @since 0.2.0
 * @category constants
 */
export const metrics = {
  payouts: {
    name: "custody_payouts",
    unit: "{payout}",
    description: "Payouts of the ledger that have not ended.",
    labels: ["state"]
  },
  oldestUnknown: {
    name: "custody_payout_oldest_unknown_seconds",
    unit: "s",
    description: "Age of the oldest payout that may have been sent; or 0.",
    labels: []
  },
  alarms: {
    name: "custody_payout_alarms",
    unit: "{payout}",
    description: "Payouts that a person has to look at before anything more is sent: 100 at most.",
    labels: ["alarm"]
  },
  unconfirmed: {
    name: "custody_payout_confirmations",
    unit: "{payout}",
    description: "First payouts that others wait for, because nobody has confirmed them.",
    labels: []
  },
  steps: {
    name: "custody_payout_steps_total",
    unit: "{step}",
    description: "Steps that this worker has taken: `accepted` was sent, `lost` and `expired` may have been.",
    labels: ["step"]
  }
} as const

const { alarms, oldestUnknown, payouts, steps, unconfirmed } = metrics

const openStates = ["held", "ready", "sending", "unknown", "undecided", "mismatched", "accepted"] as const

const gauges = openStates.map(
  (state) =>
    [
      state,
      Metric.gauge(payouts.name, { description: payouts.description, attributes: { state, unit: payouts.unit } })
    ] as const
)

const oldest = Metric.gauge(oldestUnknown.name, {
  description: oldestUnknown.description,
  attributes: { unit: oldestUnknown.unit }
})

const alarmGauges = Alarm.literals.map(
  (alarm) =>
    [
      alarm,
      Metric.gauge(alarms.name, { description: alarms.description, attributes: { alarm, unit: alarms.unit } })
    ] as const
)

const unconfirmedGauge = Metric.gauge(unconfirmed.name, {
  description: unconfirmed.description,
  attributes: { unit: unconfirmed.unit }
})

export const stepCounter = (step: string) =>
  Metric.counter(steps.name, {
    description: steps.description,
    attributes: { step, unit: steps.unit },
    incremental: true
  })

const show = Effect.fnUntraced(function* ({ oldestUnknownAt, states }: OpenCounts) {
  const now = yield* Clock.currentTimeMillis
  const count = (state: PayoutState) => states[state] ?? 0
  yield* Effect.forEach(gauges, ([state, gauge]) => Metric.update(gauge, count(state)), { discard: true })
  yield* Metric.update(oldest, oldestUnknownAt === undefined ? 0 : Math.max(0, (now - oldestUnknownAt) / 1000))
})

/** Shows the payouts of the ledger that have not ended, and what it waits for a person for. */
export const showOpen = Effect.fnUntraced(function* ({ database }: Ledger): Effect.fn.Return<void, RowError> {
  yield* show(yield* countOpen(database))
  const found = yield* findAlarms(database)
  yield* Effect.forEach(
    alarmGauges,
    ([alarm, gauge]) => Metric.update(gauge, found.filter((one) => one.alarm === alarm).length),
    { discard: true }
  )
  yield* Metric.update(unconfirmedGauge, (yield* findAwaited(database)).length)
})
