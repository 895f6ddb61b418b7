/** Payouts, each sent once or not at all; the result says exactly what is known. */
import { type CustodyClient, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { Context, Effect, Fiber, FiberSet, Layer, Metric, Option, RcMap, Schema, Semaphore, Stream } from "effect"
import * as Answers from "./answers.ts"
import { Conflict, NoSuchPayout, Order, type Payout, type PayoutId, type Refused, Sent, Unavailable } from "./Api.ts"
import { type Entry, Ledger, type LedgerError } from "./Ledger.ts"

/** Less than a process is given to stop. The SDK ends the call by then, and says whether it was sent. */
const deadline = "15 seconds"

const isSameOrder = Schema.toEquivalence(Order)

const payouts = Metric.counter("payouts_total", { description: "Payouts, by how they ended", incremental: true })
const count = (ending: string) => Metric.update(Metric.withAttributes(payouts, { ending }), 1)

/** If the ledger cannot be written, nothing is sent; if it cannot be read, nothing is reported. */
const kept = Effect.mapError((error: LedgerError) => new Unavailable({ detail: error.message }))

/** The result is reported even if the ledger cannot store it: then it is looked up later. */
const noted = Effect.catch((error: LedgerError) => Effect.logError("The ledger is behind", error))

export class Payouts extends Context.Service<
  Payouts,
  {
    /** Sends a payout, or reports its outcome if it was ordered before. */
    readonly pay: (payoutId: PayoutId, order: Order) => Effect.Effect<Payout, Refused | Conflict | Unavailable>
    readonly find: (payoutId: PayoutId) => Effect.Effect<Payout, NoSuchPayout | Unavailable>
  }
>()("payouts/Payouts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const custody = yield* Effect.context<CustodyClient>()
      const ledger = yield* Ledger
      const turns = yield* RcMap.make<PayoutId, Semaphore.Semaphore, never, never>({ lookup: () => Semaphore.make(1) })
      const underWay = yield* FiberSet.make<Payout, Refused | Conflict | Unavailable>()
      // The client is closed only when every payout has come to its end.
      yield* Effect.addFinalizer(() => Effect.exit(FiberSet.awaitEmpty(underWay)))

      const send = Effect.fn("Payouts.send")(function* (payoutId: PayoutId, order: Order) {
        // The name travels as the note: a payout whose end is unknown is found by it.
        const payout = yield* Transactions.send({ ...order, note: payoutId }).pipe(
          RetryPolicy.within(deadline),
          Effect.map(({ id, status }): Payout => Sent.make({ payoutId, transactionId: id, status })),
          Effect.catchTag("OutcomeUnknown", (error) =>
            Effect.as(Effect.logWarning(`${payoutId}: ${error.message}`), Answers.unknown(payoutId))
          ),
          Effect.mapError(Answers.notSent),
          Effect.tapError(() => noted(ledger.release(payoutId)))
        )
        if (payout.state === "sent") yield* noted(ledger.put(payoutId, { order, transactionId: payout.transactionId }))
        return payout
      })

      /** The transaction of a payout, in whose note is the payout's name; none if it cannot be seen now. */
      const findTransaction = ({ order, transactionId }: Entry, payoutId: PayoutId) =>
        Effect.gen(function* () {
          if (transactionId !== undefined) return Option.some(yield* Transactions.get({ transactionId }))
          const history = Transactions.stream({ clientId: order.clientId, type: "OUTGOING", limit: 100 })
          return yield* Stream.runHead(Stream.filter(history, ({ note }) => note === payoutId))
        }).pipe(Effect.catch((error) => Effect.as(Effect.logWarning(`${payoutId}: ${error.message}`), Option.none())))

      const look = Effect.fn("Payouts.look")(function* (payoutId: PayoutId, entry: Entry) {
        const found = Option.getOrUndefined(yield* findTransaction(entry, payoutId))
        const transactionId = entry.transactionId ?? found?.id
        // Not in the history does not mean that it never will be.
        if (transactionId === undefined) return Answers.unknown(payoutId)
        if (entry.transactionId === undefined) yield* noted(ledger.put(payoutId, { ...entry, transactionId }))
        return Sent.make({ payoutId, transactionId, status: found?.status })
      })

      /** One request for a payout at a time in this process: the second of two finds what the first has stored. */
      const inTurn =
        (payoutId: PayoutId) =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.scoped(Effect.flatMap(RcMap.get(turns, payoutId), (turn) => turn.withPermit(work)))

      const pay = Effect.fn("Payouts.pay")(function* (payoutId: PayoutId, order: Order) {
        // Before the money moves: whatever becomes of this process, the payout is not sent a second time.
        const taken = yield* kept(ledger.take(payoutId, order))
        if (Option.isNone(taken)) {
          return yield* send(payoutId, order).pipe(
            Effect.tap(({ state }) => count(state)),
            Effect.tapError(({ _tag }) => count(_tag.toLowerCase()))
          )
        }
        if (!isSameOrder(taken.value.order, order)) return yield* new Conflict()
        return yield* look(payoutId, taken.value)
      })

      return Payouts.of({
        pay: (payoutId, order) =>
          pay(payoutId, order).pipe(
            inTurn(payoutId),
            Effect.provideContext(custody),
            // On a fiber of its own: whoever asked may hang up, and the payout goes on.
            FiberSet.run(underWay),
            Effect.flatMap(Fiber.join)
          ),
        find: Effect.fn("Payouts.find")(function* (payoutId) {
          const entry = yield* kept(ledger.find(payoutId))
          if (Option.isNone(entry)) return yield* new NoSuchPayout()
          return yield* Effect.provideContext(look(payoutId, entry.value), custody)
        })
      })
    })
  )
}
