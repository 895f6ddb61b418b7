/** What a worker shows in Effect's metrics, and the log lines of payouts. */
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import * as Effect from "effect/Effect"
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

/** The log lines of payouts. */
export const lines = {
  "payouts.stopped": {
    level: "Error",
    event: "The ledger sends nothing until a person has looked at payouts",
    action: "custody payouts status names them; then Payouts.decide, cancel or acknowledge"
  },
  "payouts.needs_person": {
    level: "Error",
    event: "A person has to look at a payout, which the annotation custody.reference names",
    action: "custody payouts status says what is known; then Payouts.decide, cancel or acknowledge"
  },
  "payouts.unconfirmed": {
    level: "Warn",
    event: "A first payout is shown, and the others of its asset wait until a person confirms it",
    action: "compare the request with the transaction: custody payouts confirm, or Payouts.confirm"
  },
  "payouts.database_changed": {
    level: "Warn",
    event:
      "The ledger's database is another one, and may have lost payouts that were sent; nothing is sent until it is compared",
    action: "wait; if no server took over, and no backup was restored, find out which database this is"
  },
  "payouts.repeated": {
    level: "Warn",
    event: "A step of a worker failed, and is repeated",
    action: "if it goes on, mend what it names: the database, the service or the session"
  },
  "payouts.waits": {
    level: "Warn",
    event: "A `pay` has waited for 5 seconds in one state",
    action: "what it waits for stands in the line: a worker, a person or the service"
  },
  "feed.repeated": {
    level: "Warn",
    event: "A feed failed, and reads again",
    action: "if it goes on, mend what it names: the database, the service or the session"
  }
} as const satisfies Record<string, OperatorLog.Line>

export const report = OperatorLog.reporter(lines)

/** Names a log line that says itself what to do. */
export const named = (name: keyof typeof lines) => Effect.annotateLogs("custody.event", name)
