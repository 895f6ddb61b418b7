/** Transactions: send and transfer assets, read the history, follow a transaction to its end. */
import type { Amount } from "@effect-custody/core/Amount"
import type { NotFound } from "@effect-custody/core/ApiError"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Fingerprint from "@effect-custody/core/Fingerprint"
import type * as Id from "@effect-custody/core/Id"
import * as Instrumentation from "@effect-custody/core/Instrumentation"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import { type OutcomeUnknown, RequestInvalid, type UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import { isFinal, type Status } from "@effect-custody/core/Status"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import * as History from "./internal/history.ts"
import { ReconcileFailed, type Reconciliation } from "./Reconciliation.ts"
import type { SubmittedTransaction, Transaction, TransactionType } from "./Transaction.ts"
import { TransactionsApi } from "./TransactionsApi.ts"
import type { TransactionStatus } from "./TransactionStatus.ts"

export { isFinal, Status } from "@effect-custody/core/Status"
export { type Candidate, type Difference, ReconcileFailed, type Reconciliation } from "./Reconciliation.ts"
export { SubmittedTransaction, Transaction, TransactionType } from "./Transaction.ts"
export { TransactionStatus } from "./TransactionStatus.ts"

/**
 * What {@link send} takes.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface SendInput {
  readonly clientId: Id.Named<"ClientId">
  readonly assetId: Id.Named<"AssetId">
  /** Needed where the asset is on several networks. */
  readonly networkId?: Id.Named<"NetworkId">
  /** The external address. */
  readonly to: string
  /** In units of the asset; above zero. */
  readonly amount: Amount
  /** A text of your own. A different one for each transaction makes {@link reconcile} certain. */
  readonly note?: string
}

/**
 * How {@link send} can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type SendError = Endpoint.WriteError | NotFound | UnconfirmedEndpoint

/**
 * Sends an asset from a client's wallet to an external address. Returns the transaction as the service accepted it;
 * {@link awaitFinal} waits for its end.
 *
 * Fails with `NotFound` if the service does not know what is named, `ValidationFailed` for what it refuses, and
 * **`OutcomeUnknown` if the money may have moved**: never send again before {@link reconcile} or {@link list} has
 * shown that it did not.
 *
 * After `OutcomeUnknown`, this client refuses the same input, with the same error, until {@link reconcile} or
 * {@link find} has answered about it, or `Outcome.resolved`.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `POST /transactions/send`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const payout = Effect.gen(function* () {
 *   const sent = yield* Transactions.send({
 *     clientId: "alice",
 *     assetId: "usdc",
 *     to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *     amount: Amount.of("12.50")
 *   })
 *   return yield* Transactions.awaitFinal(sent.id)
 * })
 * ```
 */
export const send: Endpoint.Endpoint<SendInput, SubmittedTransaction, SendError, "assumed", "write"> = Endpoint.make(
  TransactionsApi,
  "send"
)

/**
 * What {@link transfer} takes.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransferInput {
  readonly fromClientId: Id.Named<"ClientId">
  readonly toClientId: Id.Named<"ClientId">
  readonly assetId: Id.Named<"AssetId">
  /** In units of the asset; above zero. */
  readonly amount: Amount
  /** A text of your own. A different one for each transaction makes {@link reconcile} certain. */
  readonly note?: string
}

/**
 * Moves an asset from one client to another. Returns the transaction as the service accepted it; {@link awaitFinal}
 * waits for its end.
 *
 * Fails with `NotFound` if the service does not know what is named, `ValidationFailed` for what it refuses, and
 * **`OutcomeUnknown` if the money may have moved**: never send again before {@link reconcile} or {@link list} has
 * shown that it did not.
 *
 * After `OutcomeUnknown`, this client refuses the same input, with the same error, until {@link reconcile} or
 * {@link find} has answered about it, or `Outcome.resolved`.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `POST /transactions/transfer`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.transfer({
 *   fromClientId: "alice",
 *   toClientId: "bob",
 *   assetId: "usdc",
 *   amount: Amount.of("3"),
 *   note: "rent"
 * })
 * ```
 */
export const transfer: Endpoint.Endpoint<TransferInput, SubmittedTransaction, SendError, "assumed", "write"> =
  Endpoint.make(TransactionsApi, "transfer")

/**
 * What {@link list} takes.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListInput extends Page.Query {
  readonly clientId?: Id.Named<"ClientId">
  readonly assetId?: Id.Named<"AssetId">
  readonly networkId?: Id.Named<"NetworkId">
  readonly type?: TransactionType
  readonly status?: Status
  readonly from?: DateTime.Utc
  readonly to?: DateTime.Utc
}

/**
 * How {@link list} can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the vault's transactions, optionally filtered by client, asset, network, type, status and time.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { DateTime } from "effect"
 *
 * const program = Transactions.list({
 *   clientId: "alice",
 *   type: "OUTGOING",
 *   from: DateTime.makeUnsafe("2026-11-01T00:00:00Z"),
 *   limit: 50
 * })
 * ```
 */
export const list: Endpoint.Endpoint<ListInput, Page.Page<Transaction>, ListError, "assumed", "read"> = Endpoint.list(
  TransactionsApi,
  "list"
)

/**
 * How {@link stream} can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = ListError | Page.PagingError

/**
 * Streams all transactions that match, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const failed = Transactions.stream({ clientId: "alice", status: "ERROR" }).pipe(Stream.runCollect)
 * ```
 */
export const stream = (query: ListInput = {}): Stream.Stream<Transaction, StreamError, CustodyClient> =>
  Page.stream(list, query)

/**
 * What {@link get} takes.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface GetInput {
  readonly transactionId: Id.Named<"TransactionId">
}

/**
 * How {@link get} can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type GetError = Endpoint.ReadError | NotFound | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads a transaction. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions/:transactionId`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.get({ transactionId: "t-1" })
 * ```
 */
export const get: Endpoint.Endpoint<GetInput, Transaction, GetError, "assumed", "read"> = Endpoint.make(
  TransactionsApi,
  "get"
)

/**
 * Reads the status of a transaction. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions/:transactionId/status`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Transactions.status({ transactionId: "t-1" }).pipe(Effect.map(({ status }) => status))
 * ```
 */
export const status: Endpoint.Endpoint<GetInput, TransactionStatus, GetError, "assumed", "read"> = Endpoint.make(
  TransactionsApi,
  "status"
)

/**
 * How {@link awaitFinal} can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type AwaitFinalError = GetError | Polling.StillPending

/**
 * Waits until a transaction is completed, rejected or in error, and returns it: check its `status`. An unknown status
 * is not final.
 *
 * It reads at once, again after 1 second, then at growing intervals of at most 15 seconds, for at most 15 minutes;
 * `options` change this. In the first 30 seconds, a `NotFound` means that the service does not show the transaction yet.
 * Otherwise it fails as {@link get} does, and with `StillPending` at the deadline: wait again with the same id.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @since 0.1.0
 * @category polling
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Transactions.awaitFinal("t-1", { deadline: "1 hour" }).pipe(
 *   Effect.catchTag("StillPending", (error) => Effect.logWarning(error.message))
 * )
 * ```
 */
export const awaitFinal: (
  transactionId: Id.Named<"TransactionId">,
  options?: Polling.AwaitOptions
) => Effect.Effect<Transaction, AwaitFinalError, CustodyClient> = (
  transactionId: Id.Named<"TransactionId">,
  options: Polling.AwaitOptions = {}
) =>
  Polling.awaitFinal(get({ transactionId }), {
    ...options,
    operation: "transactions.awaitFinal",
    id: transactionId,
    isFinal: options.isFinal ?? isFinal
  }).pipe(Instrumentation.around("transactions.awaitFinal"))

/**
 * Streams a transaction now and after each change of its status, until the status is final. It reads as often as
 * {@link awaitFinal} does, while the stream is consumed, and has no deadline. Fails as {@link get} does, with `NotFound`
 * only after 30 seconds.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @since 0.1.0
 * @category polling
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const program = Transactions.watch("t-1").pipe(Stream.runForEach(({ status }) => Effect.log(status)))
 * ```
 */
export const watch = (
  transactionId: Id.Named<"TransactionId">,
  options: Polling.WatchOptions = {}
): Stream.Stream<Transaction, GetError, CustodyClient> =>
  Polling.watch(get({ transactionId }), { ...options, isFinal: options.isFinal ?? isFinal })

/** What to look for in the history, except the time. */
const soughtOf = (input: SendInput | TransferInput): History.Sought => {
  const { amount, assetId, note } = input
  const unknown = { networkId: undefined, to: undefined, toClientId: undefined }
  return "fromClientId" in input
    ? { ...unknown, clientId: input.fromClientId, toClientId: input.toClientId, assetId, amount, note }
    : { ...unknown, clientId: input.clientId, to: input.to, networkId: input.networkId, assetId, amount, note }
}

const operationOf = (input: SendInput | TransferInput): string =>
  "fromClientId" in input ? transfer.operation : send.operation

const fingerprintOf = (input: SendInput | TransferInput): Result.Result<string, RequestInvalid> =>
  "fromClientId" in input ? Fingerprint.of(transfer, input) : Fingerprint.of(send, input)

/** Lets the client send a payment again, once the history has answered about it. */
const released = (operation: string, fingerprint: string): Effect.Effect<void, never, CustodyClient> =>
  CustodyClient.use((client) => client.resolved({ operation, fingerprint }))

/**
 * The options of {@link reconcile}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ReconcileOptions {
  /**
   * How long before the call the history begins. Our clock may be ahead of the service's, and the service may read the
   * time in its own time zone, or only the date. A clock that is further ahead is detected if the service sends a `Date`
   * header. Default: 26 hours, a day and 2 hours.
   */
  readonly window?: Duration.Input
  /** How many transactions to ask for at a time: fewer if the service refuses that many. Default: 100. */
  readonly limit?: number
}

/**
 * The options of {@link find}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface FindOptions extends ReconcileOptions {
  /** A time before the call, by our clock. */
  readonly since: DateTime.Utc
}

/**
 * How {@link find} can fail. `RequestInvalid`: the input is not valid, so it was never sent.
 *
 * @since 0.1.0
 * @category errors
 */
export type FindError = ReconcileFailed | RequestInvalid

/**
 * Looks in the history for a {@link send} or {@link transfer} that may have been made since a time. Use it after a crash,
 * when there is no error to pass to {@link reconcile}. Returns the same, and only reads.
 *
 * `input` is the input of the call; write it down, with the time, before you call. Without the error's fingerprint it
 * cannot be checked, so it has to be exactly the same. Fails with `RequestInvalid` if the input is not valid, and
 * otherwise with {@link ReconcileFailed}. Its `cause` is an error of {@link stream}; `PagesIncomplete` if rows left the
 * history each time that it was read; or `RequestInvalid` if `since` is in the future by our clock and the service's: the
 * clock that it was taken from was ahead.
 *
 * Specification: "Endpoint categories", Transactions: "History can be filtered". The wire is assumed.
 *
 * @since 0.1.0
 * @category reconciliation
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { DateTime } from "effect"
 *
 * const program = Transactions.find(
 *   {
 *     clientId: "alice",
 *     assetId: "usdc",
 *     to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *     amount: Amount.of("12.50"),
 *     note: "payout 7f3a"
 *   },
 *   { since: DateTime.makeUnsafe("2026-11-20T12:00:00Z") }
 * )
 * ```
 */
export const find: (
  input: SendInput | TransferInput,
  options: FindOptions
) => Effect.Effect<Reconciliation, FindError, CustodyClient> = Effect.fnUntraced(function* (
  input: SendInput | TransferInput,
  options: FindOptions
) {
  const fingerprint = yield* Effect.fromResult(fingerprintOf(input))
  const operation = operationOf(input)
  return yield* History.lookedUp(list, soughtOf(input), options).pipe(
    Effect.mapError((cause) => new ReconcileFailed({ operation, fingerprint, cause })),
    Effect.tap(() => released(operation, fingerprint))
  )
}, Instrumentation.around("transactions.find"))

/**
 * Looks in the history for a {@link send} or {@link transfer} whose outcome is unknown: `Found`, `NotFoundSoFar`, or
 * `SeveralCandidates` with the differences of each. It only reads; it never sends again.
 *
 * `outcomeUnknown` is the error of the call. `input` is the input of the call: any other input is refused. A `note` of
 * your own, different for each transaction, makes the result certain: only a transaction with this note is `Found`. One
 * whose note certainly is another, or whose amount is, is never a candidate. Without a note of your own, a person has to
 * decide. `NotFoundSoFar` does not mean that it will never appear: look again before you decide. Fails with {@link ReconcileFailed}, which carries the `OutcomeUnknown`.
 *
 * Specification: "Endpoint categories", Transactions: "History can be filtered". The wire is assumed.
 *
 * @since 0.1.0
 * @category reconciliation
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const payout = {
 *   clientId: "alice",
 *   assetId: "usdc",
 *   to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *   amount: Amount.of("12.50"),
 *   note: "payout 7f3a"
 * }
 *
 * const program = Transactions.send(payout).pipe(
 *   Effect.catchTag("OutcomeUnknown", (error) =>
 *     Transactions.reconcile(error, payout).pipe(Effect.delay("30 seconds"))
 *   )
 * )
 * ```
 */
export const reconcile: (
  outcomeUnknown: OutcomeUnknown,
  input: SendInput | TransferInput,
  options?: ReconcileOptions
) => Effect.Effect<Reconciliation, ReconcileFailed, CustodyClient> = Effect.fnUntraced(function* (
  outcomeUnknown: OutcomeUnknown,
  input: SendInput | TransferInput,
  options?: ReconcileOptions
) {
  const { fingerprint, operation, sentAt } = outcomeUnknown
  const given = fingerprintOf(input)
  const isItsInput = Result.isSuccess(given) && given.success === fingerprint && operation === operationOf(input)
  const message = `is not the input of the ${operation} whose outcome is unknown`
  const look = isItsInput
    ? History.lookedUp(list, soughtOf(input), { ...options, since: sentAt })
    : Effect.fail(new RequestInvalid({ operation: "transactions.reconcile", issues: [{ path: [], message }] }))
  return yield* look.pipe(
    Effect.mapError((cause) => new ReconcileFailed({ operation, fingerprint, unknown: outcomeUnknown, cause })),
    Effect.tap(() => released(operation, fingerprint))
  )
}, Instrumentation.around("transactions.reconcile"))
