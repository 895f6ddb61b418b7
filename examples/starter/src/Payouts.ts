/** Payouts, each sent once or not at all; the result says exactly what is known. */
import { type CustodyClient, Outcome, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import {
  Context,
  DateTime,
  Effect,
  Fiber,
  FiberSet,
  Layer,
  Metric,
  Option,
  RcMap,
  Schema,
  Semaphore,
  Stream
} from "effect"
import * as Answers from "./answers.ts"
import {
  Conflict,
  type Decision,
  Failed,
  NoSuchPayout,
  NothingToDecide,
  Order,
  type Payout,
  type PayoutId,
  type Refused,
  Sent,
  Unavailable
} from "./Api.ts"
import { type Entry, Ledger, type LedgerError } from "./Ledger.ts"

/** Less than a process is given to stop. The SDK ends the call by then, and says whether it was sent. */
const deadline = "15 seconds"

/** The statuses of a transaction that the service gave up. */
const failures: ReadonlySet<string> = new Set(["REJECTED", "ERROR"])

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
    readonly pay: (payoutId: PayoutId, order: Order) => Effect.Effect<Payout, Refused | Failed | Conflict | Unavailable>
    readonly find: (payoutId: PayoutId) => Effect.Effect<Payout, NoSuchPayout | Failed | Unavailable>
    /** Ends a payout in doubt, as a person says: it has a transaction, or its name is free again. */
    readonly decide: (
      payoutId: PayoutId,
      decision: Decision
    ) => Effect.Effect<void, NoSuchPayout | NothingToDecide | Unavailable>
  }
>()("payouts/Payouts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const custody = yield* Effect.context<CustodyClient>()
      const ledger = yield* Ledger
      const turns = yield* RcMap.make<PayoutId, Semaphore.Semaphore, never, never>({ lookup: () => Semaphore.make(1) })
      const underWay = yield* FiberSet.make<Payout, Refused | Failed | Conflict | Unavailable>()
      // The client is closed only when every payout has come to its end.
      yield* Effect.addFinalizer(() => Effect.exit(FiberSet.awaitEmpty(underWay)))

      const refuseFailed = (sent: typeof Sent.Type): Effect.Effect<Payout, Failed> =>
        sent.status !== undefined && failures.has(sent.status.toUpperCase())
          ? Effect.fail(new Failed({ transactionId: sent.transactionId, transactionStatus: sent.status }))
          : Effect.succeed(sent)

      const send = Effect.fn("Payouts.send")(function* (payoutId: PayoutId, { order, orderedAt }: Entry) {
        // The name travels as the note: a payout whose end is unknown is found by it.
        const payout = yield* Transactions.send({ ...order, note: payoutId }).pipe(
          RetryPolicy.within(deadline),
          Effect.map(({ id, status }): Payout => Sent.make({ payoutId, transactionId: id, status })),
          Effect.catchTag("OutcomeUnknown", (error) =>
            Effect.logWarning(`${payoutId}: ${error.message}`).pipe(
              // The ledger remembers it instead of the client, so that a person's decision holds in every process.
              Effect.andThen(Outcome.resolved(error)),
              Effect.as(Answers.unknown(payoutId))
            )
          ),
          Effect.mapError(Answers.notSent),
          Effect.tapError(() => noted(ledger.release(payoutId)))
        )
        if (payout.state === "sent") {
          const { transactionId } = payout
          yield* noted(ledger.put(payoutId, { order, orderedAt, transactionId }))
          return yield* refuseFailed(payout)
        }
        return payout
      })

      /** The transaction of a payout, in whose note is the payout's name; none if it cannot be seen now. */
      const findTransaction = ({ order, orderedAt, transactionId }: Entry, payoutId: PayoutId) =>
        Effect.gen(function* () {
          if (transactionId !== undefined) return Option.some(yield* Transactions.get({ transactionId }))
          // Clocks differ, so from a little earlier; but not the whole history of the client.
          const from = DateTime.subtract(orderedAt, { minutes: 15 })
          const history = Transactions.stream({ clientId: order.clientId, type: "OUTGOING", from, limit: 100 })
          return yield* Stream.runHead(Stream.filter(history, ({ note }) => note === payoutId))
        }).pipe(Effect.catch((error) => Effect.as(Effect.logWarning(`${payoutId}: ${error.message}`), Option.none())))

      const look = Effect.fn("Payouts.look")(function* (payoutId: PayoutId, entry: Entry) {
        const found = Option.getOrUndefined(yield* findTransaction(entry, payoutId))
        const transactionId = entry.transactionId ?? found?.id
        // Not in the history does not mean that it never will be.
        if (transactionId === undefined) return Answers.unknown(payoutId)
        if (entry.transactionId === undefined) yield* noted(ledger.put(payoutId, { ...entry, transactionId }))
        return yield* refuseFailed(Sent.make({ payoutId, transactionId, status: found?.status }))
      })

      /** One request for a payout at a time in this process: the second of two finds what the first has stored. */
      const inTurn =
        (payoutId: PayoutId) =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.scoped(Effect.flatMap(RcMap.get(turns, payoutId), (turn) => turn.withPermit(work)))

      const pay = Effect.fn("Payouts.pay")(function* (payoutId: PayoutId, order: Order) {
        // Before the money moves: whatever becomes of this process, the payout is not sent a second time.
        const entry = { order, orderedAt: yield* DateTime.now }
        const taken = yield* kept(ledger.take(payoutId, entry))
        if (Option.isNone(taken)) {
          return yield* send(payoutId, entry).pipe(
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
        }),
        decide: Effect.fn("Payouts.decide")(
          function* (payoutId, decision) {
            const entry = yield* kept(ledger.find(payoutId))
            if (Option.isNone(entry)) return yield* new NoSuchPayout()
            if (entry.value.transactionId !== undefined) return yield* new NothingToDecide()
            const { paid } = decision
            yield* kept(
              paid
                ? ledger.put(payoutId, { ...entry.value, transactionId: decision.transactionId })
                : ledger.release(payoutId)
            )
          },
          (decided, payoutId) => inTurn(payoutId)(decided)
        )
      })
    })
  )
}
