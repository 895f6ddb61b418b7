/** What a worker shows in Effect's metrics. */
import * as Metric from "effect/Metric"

/**
 * The metrics of a worker, by their names in Prometheus. A `_total` is a counter, any other a gauge, renewed every 10
 * seconds. A worker records them as Effect's `Metric`s.
 *
 * @since 0.1.0
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

/** The gauge of a metric, for one value of each of its labels. */
export const gauge = (
  { description, name, unit }: Record<"name" | "unit" | "description", string>,
  labels: Readonly<Record<string, string>> = {}
) => Metric.gauge(name, { description, attributes: { ...labels, unit } })

export const stepCounter = (step: string) =>
  Metric.counter(metrics.steps.name, {
    description: metrics.steps.description,
    attributes: { step, unit: metrics.steps.unit },
    incremental: true
  })
