/** What a worker shows in Effect's metrics. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RowError } from "../database/rows.ts"
import { findAwaited } from "./gates.ts"
import { countOpen, findAlarms } from "./read.ts"
import { Alarm } from "./Payout.ts"
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

const openStates = ["held", "ready", "sending", "unknown", "undecided", "mismatched", "accepted"] as const

const gauge = (
  { description, name, unit }: Record<"name" | "unit" | "description", string>,
  labels: Readonly<Record<string, string>> = {}
) => Metric.gauge(name, { description, attributes: { ...labels, unit } })

export const stepCounter = (step: string) =>
  Metric.counter(metrics.steps.name, {
    description: metrics.steps.description,
    attributes: { step, unit: metrics.steps.unit },
    incremental: true
  })

/** Shows the payouts of the ledger that have not ended, and what it waits for a person for. */
export const showOpen = Effect.fnUntraced(function* ({ database }: Ledger): Effect.fn.Return<void, RowError> {
  const { oldestUnknownAt, states } = yield* countOpen(database)
  const now = yield* Clock.currentTimeMillis
  for (const state of openStates) yield* Metric.update(gauge(metrics.payouts, { state }), states[state] ?? 0)
  const age = oldestUnknownAt === undefined ? 0 : Math.max(0, (now - oldestUnknownAt) / 1000)
  yield* Metric.update(gauge(metrics.oldestUnknown), age)
  const found = yield* findAlarms(database)
  for (const alarm of Alarm.literals) {
    yield* Metric.update(gauge(metrics.alarms, { alarm }), found.filter((one) => one.alarm === alarm).length)
  }
  yield* Metric.update(gauge(metrics.unconfirmed), (yield* findAwaited(database)).length)
})
