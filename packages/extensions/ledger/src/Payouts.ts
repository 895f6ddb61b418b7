/**
 * Payouts that are paid once. A payout has a reference. Whoever submits it, however often, from any number of processes,
 * it is sent once, and followed to its end.
 *
 * Specification: "Endpoint categories", Transactions. The service has no key that makes a payment idempotent.
 *
 * @since 0.1.0
 */
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Feed from "./Feed.ts"
import type { Pair } from "./firstPayout.ts"
import { open, type Options } from "./ledger.ts"
import type { LedgerError, StepRefused } from "./LedgerError.ts"
import type { Order, ReferencedOrder } from "./Payout.ts"
import type { Review, Target } from "./people.ts"
import type { ListFilter } from "./read.ts"
import {
  type Decide,
  type HoldInput,
  make,
  type NotPaid,
  type PaidBy,
  type SendAgain,
  type Service,
  type Signed,
  type SubmitInput
} from "./service.ts"
import * as Stub from "./stub.ts"
import * as TieOut from "./TieOut.ts"

export type { Confirmation } from "./firstPayout.ts"
export type { Options } from "./ledger.ts"
export type { Allowance, Preview } from "./submit.ts"
export { decodeOrders } from "./order.ts"
export { metrics } from "./metrics.ts"
export type { Order, ReferencedOrder } from "./Payout.ts"
export type { Target } from "./people.ts"
export type { Batch, Progress } from "./read.ts"
export type { Review } from "./people.ts"
export type {
  Decide,
  HoldInput,
  NotPaid,
  PaidBy,
  PayError,
  SendAgain,
  Seen,
  Service,
  Signed,
  SubmitInput
} from "./service.ts"
export type { Told } from "./stub.ts"
export type { LastingError } from "./evidence.ts"
export * from "./LedgerError.ts"

/**
 * The payouts of a ledger. {@link layer} makes them, {@link layerTest} makes some without a database, and
 * `Layer.mock(Payouts.Payouts)({ pay })` fakes some of its functions.
 *
 * @since 0.1.0
 * @category services
 */
export class Payouts extends Context.Service<Payouts, Service>()("@effect-custody/ledger/Payouts") {}

/**
 * The ledger in a database: PostgreSQL for many hosts, or a SQLite file (`LedgerSqlite`) for one. The layer creates its
 * tables. Behind PgBouncer in transaction mode, give the `PgClient` `prepare: false`.
 *
 * Every step is on the disk before the next one, even if `synchronous_commit` is off.
 *
 * Fails with `ConfigurationInvalid` if an option is wrong, and with {@link LedgerError} if the database fails.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Payouts | Feed.Feed | TieOut.TieOut, LedgerError | ConfigurationInvalid, SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.map(open(options), (ledger) =>
      Context.make(Payouts, make(ledger)).pipe(
        Context.add(Feed.Feed, Feed.Feed.make(ledger.database)),
        Context.add(TieOut.TieOut, TieOut.TieOut.make(ledger.database))
      )
    )
  )

/**
 * Payouts in memory, for tests: without a database, a worker or a client. Every payout is paid at once, or is what `tell` says
 * whenever it is read, until it has ended. `run` does nothing, and what only people do is a defect.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Payouts } from "@effect-custody/ledger"
 * import { Console, Effect } from "effect"
 *
 * const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }
 *
 * const program = Effect.gen(function* () {
 *   const refused = yield* Effect.flip(Payouts.pay("invoice-7f3a", order))
 *   yield* Console.log(refused._tag) // PayoutRefused
 * }).pipe(Effect.provide(Payouts.layerTest(() => ({ state: "refused", detail: "insufficient funds" }))))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerTest = (tell?: Stub.Tell): Layer.Layer<Payouts> =>
  Layer.unwrap(Effect.sync(() => Layer.mock(Payouts)(Stub.make(tell))))

/**
 * Writes orders into the ledger, all or none, and returns how many are new. A worker sends them. The same orders again add
 * nothing. Inside a transaction of the same `SqlClient`, it commits with the transaction.
 *
 * Fails with {@link OrdersInvalid}, and with {@link ReferenceConflict} if the ledger has another order under a reference or
 * a note.
 *
 * @since 0.1.0
 * @category payouts
 */
export const submit = (input: SubmitInput) => Payouts.use((payouts) => payouts.submit(input))

/**
 * Writes orders as {@link submit} does, and nothing is sent before a second person {@link approve approves} the batch. Returns
 * how many are new.
 *
 * For a caller that is not to be trusted with money, such as an agent, give `atMost`. Then it fails with
 * {@link AllowanceExceeded} if the batch would have more. This is checked in the transaction that writes the orders, so that
 * callers in several processes cannot exceed it together. Every payout of the batch counts, whatever became of it.
 *
 * @since 0.1.0
 * @category payouts
 */
export const hold = (input: HoldInput) => Payouts.use((payouts) => payouts.hold(input))

/**
 * What {@link submit} would find, and writes nothing: the references for which it would fail with
 * {@link ReferenceConflict}, and the new orders that are equal to payouts which were paid under other references. Fails
 * with {@link OrdersInvalid} as `submit` does.
 *
 * @since 0.1.0
 * @category payouts
 */
export const preview = (orders: ReadonlyArray<ReferencedOrder>) => Payouts.use((payouts) => payouts.preview(orders))

/**
 * Pays once, and returns the payout when it is paid. **Call it any number of times**, from any number of processes, after
 * any crash: the same reference is one payment. A worker has to {@link run} in some process. Until then `pay` waits, and
 * logs once what it waits for. It does so again for every other state that lasts 5 seconds. A caller that gives up, for
 * example by `Effect.timeoutOption`, loses nothing: the payout is in the ledger, and goes on, or nothing of it is.
 *
 * Fails with {@link PayoutRefused} if it was certainly not paid, with {@link PayoutFailed} if its transaction ended
 * without a payment, and with {@link PayoutUndecided} if a person has to decide. Refuses to run inside a transaction of the database.
 *
 * @since 0.1.0
 * @category payouts
 */
export const pay = (reference: string, order: Order, options?: { readonly by?: string }) =>
  Payouts.use((payouts) => payouts.pay(reference, order, options))

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
 * @since 0.1.0
 * @category payouts
 */
export const run = Payouts.use((payouts) => payouts.run)

/**
 * The payout of a reference.
 *
 * @since 0.1.0
 * @category payouts
 */
export const get = (reference: string) => Payouts.use((payouts) => payouts.get(reference))

/**
 * The payouts of a batch or a state, by reference, at most `limit` (default: 1,000) after the reference `after`.
 *
 * @since 0.1.0
 * @category payouts
 */
export const list = (filter?: ListFilter) => Payouts.use((payouts) => payouts.list(filter))

/**
 * How far a batch is, or the whole ledger.
 *
 * @since 0.1.0
 * @category payouts
 */
export const progress = (batch?: string) => Payouts.use((payouts) => payouts.progress(batch))

/**
 * The 100 batches that were submitted last, newest first, with the number of their payouts in each state.
 *
 * @since 0.1.0
 * @category payouts
 */
export const batches = Payouts.use((payouts) => payouts.batches)

/**
 * The steps of a payout, in their order.
 *
 * @since 0.1.0
 * @category payouts
 */
export const events = (reference: string) => Payouts.use((payouts) => payouts.events(reference))

/**
 * The next steps of all payouts after a cursor, at most 1,000, for systems of your own. Every step comes once, and in the
 * order in which its payout took it. Keep the `cursor` of the last one. After a failover or a restored backup, some steps may
 * come again.
 *
 * @since 0.1.0
 * @category payouts
 */
export const changes = (cursor?: string) => Payouts.use((payouts) => payouts.changes(cursor))

/**
 * The held payouts of a batch, for the person who approves them.
 *
 * @since 0.1.0
 * @category people
 */
export const review = (batch: string) => Payouts.use((payouts) => payouts.review(batch))

/**
 * Lets a held batch be sent, as {@link review} has shown it. Returns the number of payouts. Fails with `StepRefused`, and
 * changes nothing, if a held payout came or went since that review (the `digest`), or if `by` has submitted one.
 *
 * Names are equal in any letter case and Unicode form. A name is not an identity: the ledger believes `by`, so let your
 * program set it from the person who is signed in.
 *
 * @since 0.1.0
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
export const approve = (batch: string, signed: Pick<Signed, "by"> & Pick<Review, "digest">) =>
  Payouts.use((payouts) => payouts.approve(batch, signed))

/**
 * Cancels a payout, or the payouts of a batch, that have not been sent. Returns their number.
 *
 * @since 0.1.0
 * @category people
 */
export const cancel = (target: Target, signed: Signed) => Payouts.use((payouts) => payouts.cancel(target, signed))

/**
 * The first payouts that others wait for, each with the request as it was sent and the transaction as the service gave it.
 *
 * @since 0.1.0
 * @category people
 */
export const confirmations = Payouts.use((payouts) => payouts.confirmations)

/**
 * Says that a person has compared a first payout with what the service shows of it. Then the others of its asset are sent.
 *
 * @since 0.1.0
 * @category people
 */
export const confirm = (first: Pair, signed: Pick<Signed, "by">) =>
  Payouts.use((payouts) => payouts.confirm(first, signed))

/**
 * Says that a person has looked at a payout that clashes: it was paid twice, or the service named a transaction of another
 * payout. Then the ledger sends again.
 *
 * @since 0.1.0
 * @category people
 */
export const acknowledge = (reference: string, signed: Signed) =>
  Payouts.use((payouts) => payouts.acknowledge(reference, signed))

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
 * @since 0.1.0
 * @category people
 */
export const decide: Decide<Payouts> = (
  target: Target,
  outcome: NotPaid | PaidBy,
  signed: Signed
): Effect.Effect<number, StepRefused | LedgerError, any> =>
  Payouts.use((payouts) => payouts[outcome.unchecked === true ? "decideUnchecked" : "decide"](target, outcome, signed))

/**
 * Sends a payout, or the payouts of a batch, again that the service has refused, for example after the client has funds.
 * Returns their number.
 *
 * Looks at the service first, as `decide` does with `notPaid`: a refusal may have come from a proxy, after the payment was
 * made. With `unchecked`, `sendAgain` does not look, and needs no client.
 *
 * @since 0.1.0
 * @category people
 */
export const sendAgain: SendAgain<Payouts> = (
  target: Target,
  { unchecked = false, ...signed }: Signed & { readonly unchecked?: boolean | undefined }
): Effect.Effect<number, StepRefused | LedgerError, any> =>
  Payouts.use((payouts) => payouts[unchecked ? "sendAgainUnchecked" : "sendAgain"](target, signed))

/**
 * Moves payouts that have ended, and their steps, out of the working tables into an archive in the same database. Returns
 * their number. Workers may run meanwhile. An interruption loses nothing, and the next call goes on.
 *
 * A payout is archived if it is `paid`, `failed`, or `cancelled` before it was ever sent, its last step was before the
 * time, and nothing of its batch is open. Not archived is what a person has to look at, what was refused (it may be sent
 * again), what ended within `finalAfter`, and the payout with the newest step.
 *
 * The archived payout is paid no second time, and {@link submit}, {@link pay}, {@link preview}, {@link get},
 * {@link events}, {@link changes} and a tie-out answer as before. {@link progress} of the whole ledger, {@link batches}, and
 * {@link list} without a batch leave it out. No step follows: if its transaction changes its end, a tie-out shows it. If the
 * history shows a second payment of it, the ledger stops with a `clash` as before.
 *
 * @example
 * ```ts
 * import { Payouts } from "@effect-custody/ledger"
 * import { DateTime, Effect } from "effect"
 *
 * const lastQuarter = Effect.flatMap(DateTime.now, (now) =>
 *   Payouts.archive({ before: DateTime.subtract(now, { months: 3 }) })
 * )
 * ```
 *
 * @since 0.1.0
 * @category people
 */
export const archive = (input: { readonly before: DateTime.Utc }) => Payouts.use((payouts) => payouts.archive(input))
