/** Payouts, each sent once or not at all. */
import { type CustodyClient, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { Context, Effect, Fiber, FiberSet, Layer, Option, Schema, Stream } from "effect"
import * as Answers from "./answers.ts"
import { Conflict, NoSuchPayout, Order, type Payout, type PayoutId, type Refused, Sent, Unavailable } from "./Api.ts"
import { type Entry, Ledger, type LedgerError } from "./Ledger.ts"

/** Less than a process is given to stop. The SDK ends the call by then, and says whether it was sent. */
const deadline = "15 seconds"

const isSameOrder = Schema.toEquivalence(Order)

const ledgerFailed = (error: LedgerError) => new Unavailable({ detail: error.message })

export class Payouts extends Context.Service<
  Payouts,
  {
    /** Sends a payout, or tells what became of it if it was ordered before. */
    readonly pay: (payoutId: PayoutId, order: Order) => Effect.Effect<Payout, Refused | Conflict | Unavailable>
    readonly find: (payoutId: PayoutId) => Effect.Effect<Payout, NoSuchPayout | Unavailable>
  }
>()("payouts/Payouts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const custody = yield* Effect.context<CustodyClient>()
      const ledger = yield* Ledger
      const underWay = yield* FiberSet.make<Payout, Refused | Conflict | Unavailable>()
      // The client is closed only when every payout has come to its end.
      yield* Effect.addFinalizer(() => Effect.exit(FiberSet.awaitEmpty(underWay)))

      /** The money has moved, or may have: what the ledger cannot keep now is looked up later. */
      const note = (payoutId: PayoutId, entry: Entry) =>
        Effect.catch(ledger.put(payoutId, entry), (error) => Effect.logError("The ledger is behind", error))

      const send = Effect.fn("Payouts.send")(function* (payoutId: PayoutId, order: Order) {
        // The name travels as the note: a payout whose end is unknown is found by it.
        const sent = yield* Transactions.send({ ...order, note: payoutId }).pipe(
          RetryPolicy.within(deadline),
          Effect.asSome,
          Effect.catchTag("OutcomeUnknown", (error) =>
            Effect.as(Effect.logWarning(`${payoutId}: ${error.message}`), Option.none())
          ),
          Effect.mapError(Answers.notSent),
          Effect.tapError(() => Effect.mapError(ledger.release(payoutId), ledgerFailed))
        )
        if (Option.isNone(sent)) return Answers.unknown(payoutId)
        yield* note(payoutId, { order, transactionId: sent.value.id })
        return Sent.make({ payoutId, transactionId: sent.value.id })
      })

      /** Looks for the payout in the service's history, by its note. Not there does not mean that it never will be. */
      const look = Effect.fn("Payouts.look")(function* (payoutId: PayoutId, { order, transactionId }: Entry) {
        if (transactionId !== undefined) return Sent.make({ payoutId, transactionId })
        const found = yield* Transactions.stream({ clientId: order.clientId, type: "OUTGOING", limit: 100 }).pipe(
          Stream.filter((transaction) => transaction.note === payoutId),
          Stream.runHead,
          Effect.catch((error) => Effect.as(Effect.logWarning(`${payoutId}: ${error.message}`), Option.none()))
        )
        if (Option.isNone(found)) return Answers.unknown(payoutId)
        yield* note(payoutId, { order, transactionId: found.value.id })
        return Sent.make({ payoutId, transactionId: found.value.id })
      })

      const pay = Effect.fn("Payouts.pay")(function* (payoutId: PayoutId, order: Order) {
        // Before the money moves: whatever becomes of this process, the payout is not sent a second time.
        const taken = yield* Effect.mapError(ledger.take(payoutId, order), ledgerFailed)
        if (Option.isNone(taken)) return yield* send(payoutId, order)
        if (!isSameOrder(taken.value.order, order)) return yield* new Conflict()
        return yield* look(payoutId, taken.value)
      })

      return Payouts.of({
        pay: (payoutId, order) =>
          pay(payoutId, order).pipe(
            Effect.provideContext(custody),
            // On a fiber of its own: whoever asked may hang up, and the payout goes on.
            FiberSet.run(underWay),
            Effect.flatMap(Fiber.join)
          ),
        find: Effect.fn("Payouts.find")(function* (payoutId) {
          const entry = yield* Effect.mapError(ledger.find(payoutId), ledgerFailed)
          if (Option.isNone(entry)) return yield* new NoSuchPayout()
          return yield* Effect.provideContext(look(payoutId, entry.value), custody)
        })
      })
    })
  )
}
