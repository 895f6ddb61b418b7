/** Orders payouts in the ledger, which pays each once, and says what is known of them. */
import { Payouts } from "@effect-custody/ledger"
import type { Payout as LedgerPayout } from "@effect-custody/ledger/Payout"
import { Effect, Layer, Option, Schedule } from "effect"
import { Conflict, Failed, NoSuchPayout, type Order, type Payout, type PayoutId, Refused, Unavailable } from "./Api.ts"

/** Sends and follows payouts while the process runs. If a person has to mend something, it tries again afterwards. */
export const worker = Layer.effectDiscard(
  Payouts.run.pipe(
    Effect.tapError(({ message }) => Effect.logError(`No payouts are sent: ${message}`)),
    Effect.retry(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )
)

/** What the state of a payout means for whoever ordered it. */
const answer = (payout: LedgerPayout, payoutId: PayoutId): Effect.Effect<Payout, Refused | Failed> => {
  const { state, transactionId } = payout
  const detail = payout.detail ?? ""
  switch (state) {
    case "accepted":
    case "paid":
      return Effect.succeed({ state, payoutId, transactionId })
    case "refused":
    case "cancelled":
      return Effect.fail(new Refused({ detail }))
    case "failed":
      return Effect.fail(new Failed({ transactionId: transactionId ?? "", transactionStatus: detail }))
    default:
      return Effect.succeed({ state, payoutId, detail, askAt: `/payouts/${payoutId}` })
  }
}

const unavailable = ({ message }: { readonly message: string }) => new Unavailable({ detail: message })

export const find = Effect.fnUntraced(function* (payoutId: PayoutId) {
  const found = yield* Effect.mapError(Payouts.get(payoutId), unavailable)
  return Option.isSome(found) ? yield* answer(found.value, payoutId) : yield* new NoSuchPayout()
})

const isMoving = (payout: Payout): boolean => payout.state === "ready" || payout.state === "sending"

/** Orders a payout, and waits for the service's answer, `until` the caller cannot wait longer. */
export const pay = Effect.fnUntraced(function* (payoutId: PayoutId, order: Order, until: Effect.Effect<void>) {
  yield* Payouts.submit({ batch: "http", by: "http", orders: [{ ...order, reference: payoutId }] }).pipe(
    Effect.catchTags({
      ReferenceConflict: () => Effect.fail(new Conflict()),
      OrdersInvalid: ({ message }) => Effect.fail(new Refused({ detail: message })),
      LedgerError: (error) => Effect.fail(unavailable(error))
    })
  )
  const known = Effect.catchTag(find(payoutId), "NoSuchPayout", () => Effect.fail(new Unavailable()))
  const moved = Effect.repeat(known, { while: isMoving, schedule: Schedule.spaced("50 millis") })
  yield* Effect.raceFirst(moved, until)
  return yield* known
})
