/** The payroll: orders from a file, a held batch, an approval by another person, payments, and the tie-out. */
import { LedgerError, Payouts, TieOut } from "@effect-custody/ledger"
import { DateTime, Effect, Schedule, Schema, Stream } from "effect"
import { Csv } from "effect/encoding"
import { Activity, DurableDeferred, Workflow } from "effect/workflow"

const Outcome = Schema.Struct({ reference: Schema.String, outcome: Schema.String })

/** One for each batch, however often it is started. */
export const Payroll = Workflow.make("Payroll", {
  payload: { batch: Schema.String, by: Schema.String, csv: Schema.String },
  success: Schema.Struct({ outcomes: Schema.Array(Outcome), differences: Schema.Int }),
  idempotencyKey: ({ batch }) => batch
})

/** Wakes the workflow. Who may approve is decided by the ledger. */
export const Approval = DurableDeferred.make("approval", { success: Schema.String })

/** Fails with every wrong cell. */
export const readOrders = (csv: string) =>
  Stream.make(csv).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ headers: true })),
    Stream.runCollect,
    Effect.flatMap(Payouts.decodeOrders)
  )

/** Waits for the database. Everything that the ledger does may be repeated. */
const patiently = <A, E, R>(step: Effect.Effect<A, E | LedgerError, R>) =>
  Effect.retry(step, { while: Schema.is(LedgerError), schedule: Schedule.spaced("1 second") })

export const layer = Payroll.toLayer(
  Effect.fn("payroll")(function* ({ batch, by, csv }) {
    // The file was read once before the workflow began.
    const orders = yield* Effect.orDie(readOrders(csv))
    yield* Activity.make({
      name: "submit",
      execute: Payouts.hold({ batch, by, orders }).pipe(patiently, Effect.orDie, Effect.asVoid)
    })
    yield* Effect.log(`${batch}: approved by ${yield* DurableDeferred.await(Approval)}`)

    // An engine repeats an activity whose process dies. The ledger pays a reference once.
    const pay = ({ reference, ...order }: Payouts.ReferencedOrder) =>
      Activity.make({
        name: `pay ${reference}`,
        success: Outcome,
        execute: Payouts.pay(reference, order).pipe(
          patiently,
          Effect.match({ onSuccess: () => "paid", onFailure: ({ message }) => message }),
          Effect.tap((outcome) => Effect.log(`${reference}: ${outcome}`)),
          Effect.map((outcome) => ({ reference, outcome }))
        )
      })
    const outcomes = yield* Effect.forEach(orders, pay, { concurrency: "unbounded" })

    const differences = yield* Activity.make({
      name: "tie-out",
      success: Schema.Int,
      execute: Effect.gen(function* () {
        const now = yield* DateTime.now
        const [from, to] = [DateTime.subtract(now, { days: 1 }), DateTime.add(now, { days: 1 })]
        return (yield* TieOut.run({ from, to })).rows.length
      }).pipe(Effect.retry({ schedule: Schedule.spaced("1 second"), times: 60 }), Effect.orDie)
    })
    return { outcomes, differences }
  })
)
