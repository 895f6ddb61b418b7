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
import * as Gates from "./payouts/gates.ts"
import { Committed } from "./database/identity.ts"
import { migrate } from "./database/migrations.ts"
import * as People from "./payouts/people.ts"
import * as Read from "./payouts/read.ts"
import { findConflicts as findColumnConflicts, submit as submitColumns } from "./payouts/submit.ts"
import {
  LedgerError,
  type LedgerStopped,
  type OrdersInvalid,
  type PayoutFailed,
  type PayoutRefused,
  type PayoutUndecided,
  type ReferenceConflict,
  StepRefused
} from "./payouts/LedgerError.ts"
import { fromCells, toColumns } from "./payouts/orders.ts"
import type { Order, Payout, PayoutEvent, ReferencedOrder } from "./payouts/Payout.ts"
import { makeReview, refuseApproval, type Review } from "./payouts/review.ts"
import type { LastingError } from "./worker/sendOutcome.ts"
import { awaitEnd } from "./payouts/awaitEnd.ts"
import { checkPaid } from "./payouts/checkPaid.ts"
import { type Ledger, makeSettings, type Options } from "./payouts/ledger.ts"
import { findPaid } from "./payouts/findPaid.ts"
import { metrics as workerMetrics } from "./payouts/metrics.ts"
import * as Worker from "./worker/run.ts"

export type { Confirmation } from "./payouts/gates.ts"
export type { Target } from "./payouts/people.ts"
export type { Batch, Progress } from "./payouts/read.ts"
export type { Order, ReferencedOrder } from "./payouts/Payout.ts"
export type { Review } from "./payouts/review.ts"
export type { LastingError } from "./worker/sendOutcome.ts"
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
      const database = yield* Database.open(Database.make(yield* SqlClient.SqlClient))
      yield* Effect.catchTag(Database.reporting("open")(migrate), "MigrationError", ({ message }) =>
        Effect.fail(new LedgerError({ operation: "open", reason: message }))
      )
      return Payouts.of({ database, committed: new Committed(), settings })
    })
  )

const using = <A, E, R>(use: (ledger: Ledger) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Payouts> =>
  Effect.flatMap(Payouts, use)

/**
 * Orders from the texts of a table: `reference,clientId,assetId,to,amount`, and optionally `networkId` and `note`. Fails
 * with {@link OrdersInvalid}, which names every wrong cell. A number as a spreadsheet shortens it (`1.23457E+11`) is wrong
 * in every column, and any exponent in an amount, because digits may be lost.
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
 * any crash: the same reference is one payment. A worker has to {@link run} in some process. Until then `pay` waits, and
 * logs once what it waits for. It does so again for every other state that lasts 5 seconds.
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
 * With a contract that nobody has confirmed, the first payout of each asset goes alone: see {@link confirm}.
 *
 * Fails with {@link LedgerStopped} if a person has to look at a payout. Fails with {@link LedgerError} inside a
 * transaction, with an HTTP client that cannot give up a request at its first byte, and if a newer version of this package
 * has taken over. Fails with the error of the session or the contract if a person has to mend it. After any other failure
 * it tries again.
 *
 * @since 0.2.0
 * @category payouts
 */
export const run: Effect.Effect<never, LedgerError | LedgerStopped | LastingError, Payouts | CustodyClient> = using(
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
 * The held payouts of a batch, for the person who approves them.
 *
 * @since 0.2.0
 * @category people
 */
export const review = (batch: string): Effect.Effect<Review, LedgerError, Payouts> =>
  using(({ database }) =>
    Database.reporting("read")(
      Effect.map(Read.list(database, { batch, state: "held", limit: 2 ** 31 - 1 }), (held) => makeReview(batch, held))
    )
  )

/**
 * Lets a held batch be sent, as {@link review} has shown it. Returns the number of payouts. Fails with `StepRefused`, and
 * changes nothing, if a held payout came or went since that review (the `digest`), or if `by` has submitted one.
 *
 * Names are equal in any letter case and Unicode form. A name is not an identity: the ledger believes `by`, so let your
 * program set it from the person who is signed in.
 *
 * @since 0.2.0
 * @category people
 * @example
 * ```ts
 * import { Payouts } from "@effect-custody/ledger"
 * import { Console, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { digest, payouts } = yield* Payouts.review("june")
 *   yield* Console.log(payouts.map(({ amount, assetId, to }) => [to, amount, assetId]))
 *   yield* Payouts.approve("june", { by: "bob", digest })
 * })
 * ```
 */
export const approve = (
  batch: string,
  signed: Pick<Signed, "by"> & Pick<Review, "digest">
): Effect.Effect<number, StepRefused | LedgerError, Payouts> =>
  using(({ database }) =>
    Database.reporting("approve")(
      People.take(
        database,
        { batch },
        {
          name: "approve",
          step: "approved",
          by: signed.by,
          refuse: (held) => refuseApproval(makeReview(batch, held), signed)
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
 * The first payouts that others wait for, each with the request as it was sent and the transaction as the service gave it.
 *
 * @since 0.1.0
 * @category people
 */
export const confirmations: Effect.Effect<ReadonlyArray<Gates.Confirmation>, LedgerError, Payouts> = using(
  ({ database }) => Database.reporting("read")(Gates.findAwaited(database))
)

/**
 * Confirms a first payout: a person has compared its request with its transaction, and both say what was ordered. Then the
 * other payouts of the asset are sent with this contract, now and later. One that a person does not confirm was paid
 * nevertheless: mend the contract, and its first payout goes alone again.
 *
 * @example
 * ```ts
 * import { Payouts } from "@effect-custody/ledger"
 * import { Console, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   for (const first of yield* Payouts.confirmations) {
 *     yield* Console.log(first.request, first.answer)
 *     yield* Payouts.confirm(first, { by: "ada" })
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 * @category people
 */
export const confirm = (
  first: Pick<Gates.Confirmation, "contract" | "assetId" | "reference">,
  { by }: Pick<Signed, "by">
): Effect.Effect<void, StepRefused | LedgerError, Payouts> =>
  using(({ database }) =>
    Effect.flatMap(
      Database.reporting("confirm")(Database.durably(database)(Gates.confirm(database, first, by))),
      (done) =>
        done
          ? Effect.void
          : Effect.fail(
              new StepRefused({
                step: "confirm",
                subject: first.reference,
                reason: "the service does not show it yet, or it was confirmed before"
              })
            )
    )
  )

/**
 * Says that a person has looked at a payout that clashes: it was paid twice, or the service named a transaction of another
 * payout. Then the ledger sends again.
 *
 * @since 0.1.0
 * @category people
 */
export const acknowledge = (
  reference: string,
  signed: Signed
): Effect.Effect<void, StepRefused | LedgerError, Payouts> =>
  using(({ database }) => Database.reporting("acknowledge")(People.acknowledge(database, reference, signed)))

/**
 * The transaction that a payout was paid by.
 *
 * @since 0.2.0
 * @category people
 */
export interface PaidBy {
  readonly paid: string
  /** `true` skips the check: the ledger takes the transaction as it is, now and later. */
  readonly unchecked?: boolean | undefined
}

/**
 * A payout was certainly not paid.
 *
 * @since 0.1.0
 * @category people
 */
export interface NotPaid {
  readonly notPaid: true
  /** `true` skips the look at the history. */
  readonly unchecked?: boolean | undefined
}

/**
 * Decides about a payout that may have been paid: with `{ paid: transactionId }` the ledger follows that transaction, and
 * with `{ notPaid: true }` it **sends the payout again**. With a batch, `notPaid` decides about all its undecided payouts.
 * Returns the number of payouts.
 *
 * Looks at the service first. Fails with `StepRefused` if the service does not have the transaction, if the transaction
 * differs in client, asset, recipient, amount or type, if the history shows a payout that is said to be not paid, if it shows
 * a transaction that may be the payout and that the payout's `detail` does not name, or if the history cannot be read. Of a batch, the payouts that the history shows are accepted, and the others decided. With
 * `unchecked`, `decide` does not look, and needs no client.
 *
 * @since 0.2.0
 * @category people
 */
export const decide: {
  (
    target: People.Target,
    outcome: (NotPaid | PaidBy) & { readonly unchecked: true },
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, Payouts>
  (
    target: People.Target,
    outcome: NotPaid | PaidBy,
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, Payouts | CustodyClient>
} = (
  target: People.Target,
  outcome: NotPaid | PaidBy,
  { by, reason }: Signed
): Effect.Effect<number, StepRefused | LedgerError, any> =>
  using((ledger) =>
    Effect.gen(function* () {
      const step: Omit<People.PersonStep, "by" | "name" | "reason"> =
        "paid" in outcome
          ? { step: "decidedPaid", transactionId: outcome.paid, unchecked: outcome.unchecked }
          : { step: "decidedNotPaid" }
      if (outcome.unchecked !== true) {
        yield* "paid" in outcome ? checkPaidOf(target, outcome.paid) : findPaid(ledger, target)
      }
      return yield* Database.reporting("decide")(
        People.take(ledger.database, target, { name: "decide", by, reason, ...step })
      )
    })
  )

/** Checks the transaction of one payout. */
const checkPaidOf = (target: People.Target, paid: string) =>
  typeof target === "string"
    ? Effect.flatMap(
        get(target),
        Option.match({ onNone: () => Effect.void, onSome: (payout) => checkPaid(payout, paid) })
      )
    : Effect.fail(
        new StepRefused({
          step: "decide",
          subject: target.batch,
          reason: "a transaction pays one payout: give its reference"
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
export const metrics: Readonly<Record<"payouts" | "oldestUnknown" | "alarms" | "unconfirmed" | "steps", Definition>> =
  workerMetrics
