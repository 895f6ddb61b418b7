/** Shows in Effect's metrics what a ledger has open. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RowError } from "../database/rows.ts"
import { findAwaited } from "../payouts/firstPayoutConfirmation.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { gauge, metrics } from "../payouts/metrics.ts"
import { Alarm } from "../payouts/Payout.ts"
import { countOpen, findAlarms } from "../payouts/read.ts"

const openStates = ["held", "ready", "sending", "unknown", "undecided", "mismatched", "accepted"] as const

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
