/** What a worker shows in Effect's metrics. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { SqlError } from "effect/sql/SqlError"
import { countOpen, type OpenCounts } from "../database/read.ts"
import { type Move, settle } from "../database/settle.ts"
import type { PayoutState } from "../model/Payout.ts"
import type { Ledger } from "../payouts/ledger.ts"

/** Every metric of the ledger, by its name in Prometheus. */
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
  steps: {
    name: "custody_payout_steps_total",
    unit: "{step}",
    description: "Steps that this worker has taken: `accepted` was sent, `lost` and `expired` may have been.",
    labels: ["step"]
  }
} as const

const { oldestUnknown, payouts, steps } = metrics

const openStates = ["held", "ready", "sending", "unknown", "undecided", "accepted"] as const

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

const stepCounter = (step: string) =>
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

/** Shows the payouts of the ledger that have not ended. */
export const showOpen = ({ database }: Ledger): Effect.Effect<void, SqlError> =>
  Effect.flatMap(countOpen(database), show)

/** Takes steps as this worker, and counts them. */
export const takeSteps = Effect.fnUntraced(function* (
  { database, settings }: Ledger,
  moves: ReadonlyArray<Move>
): Effect.fn.Return<void, SqlError> {
  const moved = yield* settle(database, settings.worker, moves)
  const taken = Map.groupBy(
    moves.filter(({ reference }) => moved.has(reference)),
    ({ step }) => step
  )
  yield* Effect.forEach(taken, ([step, all]) => Metric.update(stepCounter(step), all.length), { discard: true })
})
