/**
 * Looks at the first payout of an asset with a contract. To read it back through the contract proves nothing about a
 * mistake that both directions share, so a person compares the request as it was sent with the transaction as the service
 * gave it.
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import * as WireRecord from "@effect-custody/core/WireRecord"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Comparison from "@effect-custody/transactions/Comparison"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RowError } from "../database/rows.ts"
import { stepAfterStatus } from "../history/historyOutcome.ts"
import * as Followed from "../payouts/followed.ts"
import * as Gates from "../payouts/firstPayoutConfirmation.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { takeSteps } from "../payouts/writeState.ts"

/** The maximum length of a text that is kept for a person. */
const maxText = 10_000

const shorten = (text: string): string =>
  text.length <= maxText ? text : `${text.slice(0, maxText)}\n(cut: it has ${text.length} characters)`

/** Runs a call, and returns its last exchange with the service. */
const recorded = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  let last: WireRecord.WireRecord | undefined
  const result = yield* Effect.provideService(call, WireRecord.Recorder, (exchange) => {
    last = exchange
  })
  return [result, last] as const
})

const describeRequest = ({ body, headers, method, url }: WireRecord.WireRecord): string =>
  [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body ?? ""].join(
    "\n"
  )

/** Keeps the request of a first payout for the person who confirms it. */
export const keepRequest =
  ({ database }: Ledger, reference: string) =>
  <A, E, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(recorded(send), ([result, exchange]) =>
      exchange === undefined
        ? Effect.succeed(result)
        : Effect.as(
            // Without it, the person looks at the service.
            Effect.ignore(Gates.keepRequest(database, reference, shorten(describeRequest(exchange)))),
            result
          )
    )

/** Looks at one first payout: if the service shows it as it was ordered, a person may confirm it. */
const lookAt = Effect.fnUntraced(function* <E, R>(
  ledger: Ledger,
  { assetId, contract, reference, shownAt }: Gates.Confirmation,
  compare: Effect.Effect<void, E, R>
) {
  const { database } = ledger
  const [payout] = yield* Followed.findFollowed(database, Followed.ofTarget(database, reference))
  if (payout === undefined || payout.transactionId === null || payout.state === "mismatched") return
  const { attempt, isUnchecked, transactionId } = payout
  const read = recorded(Transactions.get({ transactionId }))
  const found = yield* Effect.catchTag(Effect.asSome(read), "NotFound", () => Effect.succeedNone)
  if (Option.isNone(found)) return
  const [transaction, exchange] = found.value
  const differing = isUnchecked ? [] : Comparison.contradictions(Followed.inputOf(payout), transaction)
  if (differing.length > 0) {
    return yield* takeSteps(ledger, [
      { reference, attempt, step: "mismatched", detail: Comparison.describe(differing) }
    ])
  }
  const isFinal = stepAfterStatus(transaction.status) !== undefined
  if (shownAt !== null && !isFinal) return
  // Another ledger may have begun at the same time: its payouts show by now.
  if (shownAt === null) yield* compare
  yield* Gates.noteShown(database, { contract, reference }, shorten(exchange?.answer?.body ?? ""), isFinal)
  if (shownAt !== null) return
  yield* OperatorLog.report("payouts.unconfirmed", `${reference} is the first payout of ${assetId} with this contract`)
})

/** Looks at the first payouts with a contract until the service has shown their ends, or a person has confirmed them. */
export const look = Effect.fnUntraced(function* <E, R>(
  ledger: Ledger,
  contract: string,
  compare: Effect.Effect<void, E, R>
): Effect.fn.Return<void, E | Transactions.GetError | RowError, CustodyClient | R> {
  const { database } = ledger
  yield* Gates.freeUnpaid(database)
  for (const first of yield* Gates.findUnconfirmed(database, contract)) {
    if (!first.isFinal) yield* lookAt(ledger, first, compare)
  }
})
