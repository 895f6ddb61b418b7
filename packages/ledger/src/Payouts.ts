/**
 * Payouts that are paid once. A payout has a reference. Whoever submits it, however often, from any number of processes,
 * it is sent once, and followed to its end.
 *
 * Specification: "Endpoint categories", Transactions. The service has no key that makes a payment idempotent.
 *
 * @since 0.2.0
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Span from "@effect-custody/core/unstable/Span"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "./database/database.ts"
import { migrate } from "./database/migrations.ts"
import * as People from "./database/people.ts"
import * as Read from "./database/read.ts"
import { findConflicts as findColumnConflicts, submit as submitColumns } from "./database/submit.ts"
import {
  type LedgerBehind,
  LedgerError,
  type OrdersInvalid,
  type PayoutFailed,
  type PayoutRefused,
  type PayoutUndecided,
  type ReferenceConflict,
  type StepRefused
} from "./model/LedgerError.ts"
import { fromCells, toColumns } from "./model/orders.ts"
import type { Order, Payout, PayoutEvent, ReferencedOrder } from "./model/Payout.ts"
import type { LastingError } from "./model/sendOutcome.ts"
import { awaitEnd } from "./payouts/awaitEnd.ts"
import { checkPaid } from "./payouts/checkPaid.ts"
import { type Ledger, makeSettings, type Options } from "./payouts/ledger.ts"
import { metrics as workerMetrics } from "./worker/metrics.ts"
import * as Worker from "./worker/run.ts"

export type { Target } from "./database/people.ts"
export type { Batch, Progress } from "./database/read.ts"
export type { Order, ReferencedOrder } from "./model/Payout.ts"
export type { LastingError } from "./model/sendOutcome.ts"
export type { Options } from "./payouts/ledger.ts"

/**
 * The ledger. {@link layer} makes it.
 *
 * @since 0.2.0
 * @category services
 */
export class Payouts extends Context.Service<Payouts, Ledger>()("@effect-custody/ledger/Payouts") {}

/**
 * The ledger in a database: PostgreSQL for many hosts, or a SQLite file (`LedgerSqlite`) for one. The layer creates its
 * tables. Behind PgBouncer in transaction mode, give the `PgClient` `prepare: false`.
 *
 * Every step is on the disk before the next one, even if `synchronous_commit` is off.
 *
 * Fails with `ConfigurationInvalid` if an option is wrong, and with {@link LedgerError} if the database fails.
 *
 * @since 0.2.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Payouts, LedgerError | ConfigurationInvalid, SqlClient.SqlClient> =>
  Layer.effect(
    Payouts,
    Effect.gen(function* () {
      const settings = yield* makeSettings(options)
      const database = Database.make(yield* SqlClient.SqlClient)
      yield* Database.open(database)
      yield* Effect.catchTag(Database.reporting("open")(migrate), "MigrationError", ({ message }) =>
        Effect.fail(new LedgerError({ operation: "open", reason: message }))
      )
      return Payouts.of({ database, settings })
    })
  )

const using = <A, E, R>(use: (ledger: Ledger) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Payouts> =>
  Effect.flatMap(Payouts, use)

/**
 * Orders from the texts of a table: `reference,clientId,assetId,to,amount`, and optionally `networkId` and `note`. Fails
 * with {@link OrdersInvalid}, which names every wrong cell.
 *
 * @since 0.2.0
 * @category orders
 */
export const decodeOrders = (
  rows: ReadonlyArray<Readonly<Record<string, string>>>
): Effect.Effect<ReadonlyArray<ReferencedOrder>, OrdersInvalid> => Effect.fromResult(fromCells(rows))

/**
 * The input of {@link submit}.
 *
 * @since 0.2.0
 * @category models
 */
export interface SubmitInput {
  readonly batch: string
  /** Who submits it: a person or a program. */
  readonly by: string
  readonly orders: ReadonlyArray<ReferencedOrder>
  /** With `true`, nothing is sent before a second person calls {@link approve}. */
  readonly held?: boolean | undefined
}

/**
 * Writes orders into the ledger, all or none, and returns how many are new. The same orders again add nothing. Inside a
 * transaction of the same `SqlClient`, it commits with the transaction.
 *
 * Fails with {@link OrdersInvalid}, and with {@link ReferenceConflict} if the ledger has another order under a reference or
 * a note.
 *
 * @since 0.2.0
 * @category payouts
 */
export const submit = ({
  batch,
  by,
  held = false,
  orders
}: SubmitInput): Effect.Effect<number, OrdersInvalid | ReferenceConflict | LedgerError, Payouts> =>
  using(({ database }) =>
    Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) =>
      Database.reporting("submit")(submitColumns(database, { batch, by, held }, columns))
    )
  ).pipe(Span.around("payouts.submit"))

/**
 * The references for which {@link submit} would fail with {@link ReferenceConflict}: the ledger has another order under
 * the reference or the note. Writes nothing.
 *
 * @since 0.2.0
 * @category payouts
 */
export const findConflicts = (
  orders: ReadonlyArray<ReferencedOrder>
): Effect.Effect<ReadonlyArray<string>, OrdersInvalid | LedgerError, Payouts> =>
  using(({ database }) =>
    Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) =>
      Database.reporting("read")(findColumnConflicts(database, columns))
    )
  )

/**
 * The errors of {@link pay}.
 *
 * @since 0.2.0
 * @category errors
 */
export type PayError = PayoutRefused | PayoutFailed | PayoutUndecided | ReferenceConflict | OrdersInvalid | LedgerError

/**
 * Pays once, and returns the payout when it is paid. **Call it any number of times**, from any number of processes, after
 * any crash: the same reference is one payment. A worker has to {@link run} in some process.
 *
 * Fails with `PayoutRefused` if it was certainly not paid, with `PayoutFailed` if its transaction ended without a payment,
 * and with `PayoutUndecided` if a person has to decide. Refuses to run inside a transaction of the database.
 *
 * @since 0.2.0
 * @category payouts
 */
export const pay = (
  reference: string,
  order: Order,
  options: { readonly by?: string } = {}
): Effect.Effect<Payout, PayError, Payouts> =>
  using(({ database, settings }) =>
    Effect.gen(function* () {
      yield* Database.outsideTransactions(database, "pay")
      yield* submit({ batch: reference, by: options.by ?? settings.worker, orders: [{ ...order, reference }] })
      return yield* awaitEnd(database, reference)
    })
  ).pipe(Span.around("payouts.pay"))

/**
 * Sends payouts, looks for those that may have been sent, and follows them to their end, in any number of processes. It
 * runs until it is interrupted. Then it finishes what is being sent, and writes it down.
 *
 * Fails with {@link LedgerBehind}; with {@link LedgerError} inside a transaction, with an HTTP client that cannot give up
 * a request at its first byte, or if a newer version of this package has taken over; and with an error of the session or
 * the contract that a person has to mend. No other failure ends it: it tries again.
 *
 * @since 0.2.0
 * @category payouts
 */
export const run: Effect.Effect<never, LedgerError | LedgerBehind | LastingError, Payouts | CustodyClient> = using(
  Worker.run
)

/**
 * The payout of a reference.
 *
 * @since 0.2.0
 * @category payouts
 */
export const get = (reference: string): Effect.Effect<Option.Option<Payout>, LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("read")(Read.get(database, reference)))

/**
 * The payouts of a batch or a state, by reference, at most `limit` (default: 1,000) after the reference `after`.
 *
 * @since 0.2.0
 * @category payouts
 */
export const list = (
  filter: Read.Filter & { readonly after?: string; readonly limit?: number } = {}
): Effect.Effect<ReadonlyArray<Payout>, LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("read")(Read.list(database, filter)))

/**
 * How far a batch is, or the whole ledger.
 *
 * @since 0.2.0
 * @category payouts
 */
export const progress = (batch?: string): Effect.Effect<Read.Progress, LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("read")(Read.progress(database, batch)))

/**
 * The 100 batches that were submitted last, newest first, with the number of their payouts in each state.
 *
 * @since 0.2.0
 * @category payouts
 */
export const batches: Effect.Effect<ReadonlyArray<Read.Batch>, LedgerError, Payouts> = using(({ database }) =>
  Database.reporting("read")(Read.batches(database))
)

/**
 * The steps of a payout, in their order.
 *
 * @since 0.2.0
 * @category payouts
 */
export const events = (reference: string): Effect.Effect<ReadonlyArray<PayoutEvent>, LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("read")(Read.events(database, reference)))

/**
 * The next steps of all payouts after a cursor, at most 1,000, for systems of your own. Every step comes once, and in the
 * order in which its payout took it. Keep the `cursor` of the last one.
 *
 * @since 0.2.0
 * @category payouts
 */
export const changes = (cursor?: string): Effect.Effect<ReadonlyArray<PayoutEvent>, LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("read")(Read.changes(database, cursor)))

interface Signed {
  /** The person. */
  readonly by: string
  readonly reason: string
}

/**
 * Lets a held batch be sent. `by` must be another person than the one who submitted it. Returns the number of payouts.
 *
 * @since 0.2.0
 * @category people
 */
export const approve = (
  batch: string,
  { by }: Pick<Signed, "by">
): Effect.Effect<number, StepRefused | LedgerError, Payouts> =>
  using(({ database }) =>
    Database.reporting("approve")(
      People.take(
        database,
        { batch },
        {
          name: "approve",
          step: "approved",
          by,
          refuse: ({ submittedBy }) => (submittedBy === by ? `${by} has submitted it` : undefined)
        }
      )
    )
  )

/**
 * Cancels a payout, or the payouts of a batch, that have not been sent. Returns their number.
 *
 * @since 0.2.0
 * @category people
 */
export const cancel = (
  target: People.Target,
  { by, reason }: Signed
): Effect.Effect<number, StepRefused | LedgerError, Payouts> =>
  using(({ database }) =>
    Database.reporting("cancel")(People.take(database, target, { name: "cancel", step: "cancelled", by, reason }))
  )

/**
 * The transaction that a payout was paid by.
 *
 * @since 0.2.0
 * @category people
 */
export interface PaidBy {
  readonly paid: string
  /** `true` skips the check: the ledger does not read the transaction from the service. */
  readonly unchecked?: boolean | undefined
}

/**
 * Decides about a payout that may have been paid: with `{ paid: transactionId }` the ledger follows that transaction, and
 * with `"notPaid"` it **sends the payout again**. With a batch, `"notPaid"` decides about all its undecided payouts.
 * Returns the number of payouts.
 *
 * Reads the transaction from the service first. Fails with `StepRefused` if the service does not have it, if it cannot be
 * read, or if its client, asset, amount or type is another. With `unchecked`, `decide` skips this check and
 * needs no client.
 *
 * @since 0.2.0
 * @category people
 */
export const decide: {
  (
    target: People.Target,
    outcome: "notPaid" | (PaidBy & { readonly unchecked: true }),
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, Payouts>
  (
    reference: string,
    outcome: PaidBy | "notPaid",
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, Payouts | CustodyClient>
} = (
  target: People.Target,
  outcome: PaidBy | "notPaid",
  { by, reason }: Signed
): Effect.Effect<number, StepRefused | LedgerError, any> =>
  using(({ database }) =>
    Effect.gen(function* () {
      if (outcome !== "notPaid" && outcome.unchecked !== true && typeof target === "string") {
        const payout = yield* get(target)
        if (Option.isSome(payout)) yield* checkPaid(payout.value, outcome.paid)
      }
      return yield* Database.reporting("decide")(
        People.take(database, target, {
          name: "decide",
          by,
          reason,
          ...(outcome === "notPaid" ? { step: "decidedNotPaid" } : { step: "decidedPaid", transactionId: outcome.paid })
        })
      )
    })
  )

/**
 * Sends a payout, or the payouts of a batch, again that the service has refused, for example after the client has funds.
 * Returns their number.
 *
 * @since 0.2.0
 * @category people
 */
export const retry = (
  target: People.Target,
  { by, reason }: Signed
): Effect.Effect<number, StepRefused | LedgerError, Payouts> =>
  using(({ database }) =>
    Database.reporting("retry")(People.take(database, target, { name: "retry", step: "retried", by, reason }))
  )

interface Definition {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly labels: ReadonlyArray<string>
}

/**
 * The metrics of a worker, by their names in Prometheus. A `_total` is a counter, any other a gauge, renewed every 10
 * seconds. A worker records them as Effect's `Metric`s.
 *
 * @since 0.2.0
 * @category constants
 */
export const metrics: Readonly<Record<"payouts" | "oldestUnknown" | "steps", Definition>> = workerMetrics
