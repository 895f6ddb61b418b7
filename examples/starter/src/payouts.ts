/** Orders payouts in the ledger, which pays each once, and says what is known of them. */
import { Payouts } from "@effect-custody/ledger"
import type { Payout as LedgerPayout } from "@effect-custody/ledger/Payout"
import { Context, type Duration, Effect, Fiber, Layer, Option, Ref, Schedule } from "effect"
import {
  Caller,
  Conflict,
  Failed,
  Listed,
  NoSuchPayout,
  NotApproved,
  type Order,
  type Payout,
  type PayoutId,
  Refused,
  Unavailable
} from "./Api.ts"
import * as Limits from "./limits.ts"

/** Sends and follows payouts while the process runs. If a person has to mend something, it tries again afterwards. */
export class Worker extends Context.Service<
  Worker,
  {
    /** Why it sends nothing, since it stopped. */
    readonly stoppedBy: Effect.Effect<string | undefined>
  }
>()("payouts/Worker") {
  /** `pause` is the time until it tries again, and for which it has to run until it counts as running again. */
  static readonly layer = (pause: Duration.Input = "10 seconds") =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const stoppedBy = yield* Ref.make<string | undefined>(undefined)
        // It looks at the service and the ledger before it stops again.
        const goesOn = Effect.andThen(Effect.sleep(pause), Ref.set(stoppedBy, undefined))
        yield* Effect.raceFirst(Payouts.run, Effect.andThen(goesOn, Effect.never)).pipe(
          Effect.tapError(({ message }) =>
            Effect.andThen(Ref.set(stoppedBy, message), Effect.logError(`No payouts are sent: ${message}`))
          ),
          Effect.retry(Schedule.spaced(pause)),
          Effect.tapDefect((defect) => Ref.set(stoppedBy, String(defect))),
          Effect.forkScoped
        )
        return { stoppedBy: Ref.get(stoppedBy) }
      })
    )
}

/** How long to wait for the ledger's database. */
export const Patience = Context.Reference<Duration.Input>("payouts/Patience", {
  defaultValue: () => Limits.databasePatience
})

/** Fails if the ledger's database does not answer in time: even the end of a query waits for a connection that is silent. */
const inTime = <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.gen(function* () {
    const asking = yield* Effect.forkDetach(asked)
    return yield* Fiber.join(asking).pipe(
      Effect.timeoutOrElse({
        duration: yield* Patience,
        orElse: () => Effect.fail(new Unavailable({ detail: "The ledger's database does not answer." }))
      }),
      Effect.ensuring(Effect.sync(() => asking.interruptUnsafe()))
    )
  })

const askAt = (payoutId: PayoutId): string => `/payouts/${payoutId}`

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
      return Effect.succeed({ state, payoutId, detail, askAt: askAt(payoutId) })
  }
}

const unavailable = ({ message }: { readonly message: string }) => new Unavailable({ detail: message })

const get = (payoutId: string) => inTime(Effect.mapError(Payouts.get(payoutId), unavailable))

/** Fails if no payout can be made now: the database does not answer, or the worker has stopped. */
export const check = Effect.gen(function* () {
  yield* get("")
  const stoppedBy = yield* Effect.flatMap(Worker, ({ stoppedBy }) => stoppedBy)
  if (stoppedBy !== undefined) return yield* new Unavailable({ detail: `No payouts are sent: ${stoppedBy}` })
})

export const find = Effect.fnUntraced(function* (payoutId: PayoutId) {
  const found = yield* get(payoutId)
  return Option.isSome(found) ? yield* answer(found.value, payoutId) : yield* new NoSuchPayout()
})

const isMoving = (payout: Payout): boolean => payout.state === "ready" || payout.state === "sending"

/**
 * Orders a payout, and waits for the service's answer, `until` the caller cannot wait longer. It does not wait for a worker
 * that has stopped, nor for an approval.
 */
export const pay = Effect.fnUntraced(function* (payoutId: PayoutId, order: Order, until: Effect.Effect<void>) {
  const { stoppedBy } = yield* Worker
  const by = yield* Caller
  const held = Limits.needsApproval(order.assetId, order.amount)
  // A batch of its own, so that it is approved alone.
  yield* (held ? Payouts.hold : Payouts.submit)({
    batch: payoutId,
    by,
    orders: [{ ...order, reference: payoutId }]
  }).pipe(
    Effect.catchTag(["OrdersInvalid", "AllowanceExceeded"], ({ message }) => new Refused({ detail: message })),
    Effect.catchTags({
      ReferenceConflict: () => Effect.fail(new Conflict()),
      LedgerError: (error) => Effect.fail(unavailable(error))
    }),
    inTime
  )
  // It is ordered, whatever the database answers now.
  const known = Effect.catchTag(find(payoutId), ["NoSuchPayout", "Unavailable"], ({ detail = "" }) =>
    Effect.succeed<Payout>({ state: "unknown", payoutId, detail, askAt: askAt(payoutId) })
  )
  const moved = Effect.repeat(known, {
    while: (payout) => Effect.map(stoppedBy, (reason) => reason === undefined && isMoving(payout)),
    schedule: Schedule.spaced("50 millis")
  })
  yield* Effect.raceFirst(moved, until)
  return yield* known
})

/** Lets a held payout be sent, if another caller has ordered it. */
export const approve = Effect.fnUntraced(function* (payoutId: PayoutId) {
  const found = yield* get(payoutId)
  if (Option.isNone(found)) return yield* new NoSuchPayout()
  if (found.value.state === "held") {
    const by = yield* Caller
    const { batch } = found.value
    yield* Effect.flatMap(Payouts.review(batch), ({ digest }) => Payouts.approve(batch, { by, digest })).pipe(
      Effect.catchTags({
        StepRefused: ({ message }) => Effect.fail(new NotApproved({ detail: message })),
        LedgerError: (error) => Effect.fail(unavailable(error))
      }),
      inTime
    )
  }
  return yield* find(payoutId)
})

/** The payouts after one of them, by name. */
export const list = (filter: Parameters<typeof Payouts.list>[0]) =>
  Payouts.list({ ...filter, limit: Limits.maxListed }).pipe(
    Effect.mapError(unavailable),
    Effect.map((all) =>
      all.map(({ amount, assetId, clientId, detail, reference, state, submittedBy, to }) =>
        Listed.make({
          payoutId: reference,
          state,
          clientId,
          assetId,
          to,
          amount,
          orderedBy: submittedBy,
          detail: detail ?? ""
        })
      )
    ),
    inTime
  )
