/**
 * Transactions: send from client wallets to external addresses or between clients, and follow their progress. Where the
 * wire is assumed, the specification does not show it.
 */
import { Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import { isFinal, Status } from "@effect-custody/core/Polling"
import { type OutcomeUnknown, InputInvalid, type UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import { NonBlank } from "@effect-custody/core/Text"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Comparison from "./reconciliation/Comparison.ts"
import * as HistorySearch from "./reconciliation/HistorySearch.ts"
import {
  type FindOptions,
  type HistoryUnproven,
  ReconcileFailed,
  type ReconcileOptions,
  type Reconciliation
} from "./Reconciliation.ts"
import { SubmittedTransaction, Transaction, TransactionStatus, TransactionType } from "./records.ts"

export * from "./records.ts"

export { isFinal, Status } from "@effect-custody/core/Polling"
export {
  type Candidate,
  type Difference,
  type FindOptions,
  HistoryUnproven,
  ReconcileFailed,
  type ReconcileOptions,
  type Reconciliation
} from "./Reconciliation.ts"

const section = "Endpoint categories, Transactions"

const amountAndNote = {
  /** In units of the asset, above zero. */
  amount: Positive,
  /** A text of your own. A different note for each transaction makes {@link reconcile} certain. */
  note: Schema.optionalKey(Schema.String)
}

const sendFields = {
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Id.named("ClientId"),
  assetId: Id.named("AssetId"),
  /** Required if the asset is on several networks. */
  networkId: Endpoint.exact(Id.named("NetworkId")),
  /** The external address. */
  to: NonBlank,
  ...amountAndNote
}

/**
 * The input of {@link send}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface SendInput extends Endpoint.InputOf<typeof sendFields> {}

/**
 * Sends an asset from a client's wallet to an external address. Returns the transaction as the service accepted it;
 * {@link awaitFinal} waits until its status is final.
 *
 * **To pay once, also after a crash, call `Payouts.pay` of `@effect-custody/ledger` instead.** Do not put `send` into a
 * retry, a queue or a workflow.
 *
 * Fails with **`OutcomeUnknown` if the money may have moved**: look with {@link reconcile} or {@link list} before anybody
 * sends it again.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const payout = Transactions.send({
 *   clientId: "alice",
 *   assetId: "usdc",
 *   to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *   amount: Amount.of("12.50"),
 *   note: "payout 7f3a"
 * }).pipe(Effect.flatMap(({ id }) => Transactions.awaitFinal(id)))
 * ```
 */
export const send: Endpoint.Endpoint<
  SendInput,
  SubmittedTransaction,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("transactions.send", {
  route: "POST /transactions/send",
  assumed: section,
  payload: sendFields,
  success: SubmittedTransaction,
  errors: [NotFound],
  lookUp: () => list
})

/**
 * The errors of {@link send}.
 *
 * @since 0.1.0
 * @category errors
 */
export type SendError = Endpoint.Failure<typeof send>

const transferFields = {
  /** The externalId of the client that gives. */
  fromClientId: Id.named("ClientId"),
  /** The externalId of the client that receives. */
  toClientId: Id.named("ClientId"),
  assetId: Id.named("AssetId"),
  ...amountAndNote
}

/**
 * The input of {@link transfer}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransferInput extends Endpoint.InputOf<typeof transferFields> {}

/**
 * Moves an asset from one client to another. Returns the transaction as the service accepted it.
 *
 * Fails as {@link send} does, with **`OutcomeUnknown` if the money may have moved**.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const amount = Amount.of("3")
 * const program = Transactions.transfer({ fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount })
 * ```
 */
export const transfer: Endpoint.Endpoint<
  TransferInput,
  SubmittedTransaction,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("transactions.transfer", {
  route: "POST /transactions/transfer",
  assumed: section,
  payload: transferFields,
  success: SubmittedTransaction,
  errors: [NotFound],
  lookUp: () => list
})

const filters = {
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Schema.optionalKey(Id.named("ClientId")),
  assetId: Schema.optionalKey(Id.named("AssetId")),
  networkId: Schema.optionalKey(Id.named("NetworkId")),
  type: Schema.optionalKey(TransactionType.input),
  status: Schema.optionalKey(Status.input),
  from: Schema.optionalKey(Timestamp),
  to: Schema.optionalKey(Timestamp)
}

/**
 * The input of {@link list}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListInput extends Endpoint.InputOf<typeof filters>, Page.Query {}

/**
 * Reads one page of the vault's transactions, optionally filtered by client, asset, network, type, status and time.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { DateTime } from "effect"
 *
 * const from = DateTime.makeUnsafe("2026-11-01T00:00:00Z")
 * const program = Transactions.list({ clientId: "alice", type: "OUTGOING", from })
 * ```
 */
export const list: Endpoint.Endpoint<
  ListInput,
  Page.Page<Transaction>,
  Endpoint.ReadError | InputInvalid | UnconfirmedEndpoint
> = Endpoint.list("transactions.list", {
  route: "GET /transactions",
  assumed: section,
  query: filters,
  success: Transaction
})

/**
 * The errors of {@link list}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.Failure<typeof list>

/**
 * The errors of {@link stream}.
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
 */
export const stream = (query: ListInput = {}) => Page.stream(list, query)

/**
 * Reads a transaction. Fails with `NotFound` if no transaction has that id.
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
export const get = Endpoint.read("transactions.get", {
  route: "GET /transactions/:transactionId",
  assumed: section,
  params: { transactionId: Id.named("TransactionId") },
  success: Transaction,
  errors: [NotFound],
  about: "transactionId"
})

/**
 * The errors of {@link get}.
 *
 * @since 0.1.0
 * @category errors
 */
export type GetError = Endpoint.Failure<typeof get>

/**
 * Reads the status of a transaction. Fails with `NotFound` if no transaction has that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.status({ transactionId: "t-1" })
 * ```
 */
export const status = Endpoint.read("transactions.status", {
  route: "GET /transactions/:transactionId/status",
  assumed: section,
  params: { transactionId: Id.named("TransactionId") },
  success: TransactionStatus,
  errors: [NotFound],
  about: "transactionId"
})

/**
 * Waits until a transaction is completed, rejected or in error, and returns it. Check its `status`, because the
 * transaction may have failed. An unknown status is not final.
 *
 * Reads every 15 seconds by default, more often at first, for 15 minutes. In the first 30 seconds, continues after a
 * `NotFound`, because the service may not show the transaction yet. Fails with `StillPending` at the deadline. Then
 * call `awaitFinal` again with the same id.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @since 0.1.0
 * @category polling
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.awaitFinal("t-1", { deadline: "1 hour" })
 * ```
 */
export const awaitFinal = (transactionId: Id.Named<"TransactionId">, options: Polling.AwaitOptions = {}) =>
  Polling.awaitFinal(get({ transactionId }), {
    ...options,
    operation: "transactions.awaitFinal",
    id: transactionId,
    isFinal: options.isFinal ?? isFinal,
    known: Status.known
  }).pipe(Instrumentation.around("transactions.awaitFinal"))

/**
 * Streams a transaction now and after each change of its status, until the status is final. Reads the transaction while
 * the stream is consumed, as often as {@link awaitFinal}, and without a deadline.
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
export const watch = (transactionId: Id.Named<"TransactionId">, options: Polling.WatchOptions = {}) =>
  Polling.watch(get({ transactionId }), { ...options, isFinal: options.isFinal ?? isFinal })

const describePayment = (input: SendInput | TransferInput): Comparison.Wanted =>
  "fromClientId" in input ? { ...input, clientId: input.fromClientId } : input

const describeCall = (input: SendInput | TransferInput) =>
  "fromClientId" in input
    ? {
        operation: transfer.operation,
        fingerprint: Endpoint.fingerprint(transfer, input),
        sought: describePayment(input)
      }
    : { operation: send.operation, fingerprint: Endpoint.fingerprint(send, input), sought: describePayment(input) }

const history: HistorySearch.List = { endpoint: list, read: list }

/**
 * Looks in the history for a payment. After any {@link Reconciliation}, even `NotFoundSoFar`, the client no longer
 * refuses to send the same payment.
 */
const search = (
  payment: Pick<ReconcileFailed, "operation" | "fingerprint" | "unknown">,
  look: Effect.Effect<Reconciliation, StreamError | HistoryUnproven, CustodyClient>
): Effect.Effect<Reconciliation, ReconcileFailed, CustodyClient> =>
  look.pipe(
    Effect.mapError((cause) => new ReconcileFailed({ ...payment, cause })),
    Effect.tap(() => CustodyClient.resolved(payment))
  )

/**
 * Looks in the history for a {@link send} or {@link transfer} that may have been made since a time. Use it after a
 * crash, when there is no error to pass to {@link reconcile}. Returns the same results as {@link reconcile}, and only
 * reads.
 *
 * Record the input and the time before you send: `find` needs exactly this input. Fails with `InputInvalid` if the
 * input is not valid: such an input was never sent. Fails with {@link ReconcileFailed} if the history cannot be read or
 * does not prove that the payment is missing, or if `since` is more than 30 minutes in the future.
 *
 * Specification: "Endpoint categories", Transactions: "History can be filtered".
 *
 * @since 0.1.0
 * @category reconciliation
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import type { DateTime } from "effect"
 *
 * const program = (payout: Transactions.SendInput, since: DateTime.Utc) => Transactions.find(payout, { since })
 * ```
 */
export const find = Effect.fnUntraced(function* (
  input: SendInput | TransferInput,
  options: FindOptions
): Effect.fn.Return<Reconciliation, ReconcileFailed | InputInvalid, CustodyClient> {
  const { operation, sought, ...call } = describeCall(input)
  const fingerprint = yield* Effect.fromResult(call.fingerprint)
  return yield* search({ operation, fingerprint }, HistorySearch.find(history, sought, options))
}, Instrumentation.around("transactions.find"))

/**
 * Looks in the history for a {@link send} or {@link transfer} whose outcome is unknown: `Found`, `NotFoundSoFar`, or
 * `SeveralCandidates` with each candidate's differences. Only reads.
 *
 * `input` must be the input of the call. A different input is refused. Only a transaction with your `note` is `Found`,
 * so use a different note for each call. Without a note, a person has to decide. After `NotFoundSoFar` the transaction
 * may still appear: look again before you decide. Fails with {@link ReconcileFailed}, which carries the
 * `OutcomeUnknown`.
 *
 * Specification: "Endpoint categories", Transactions: "History can be filtered".
 *
 * @since 0.1.0
 * @category reconciliation
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = (payout: Transactions.SendInput) =>
 *   Transactions.send(payout).pipe(
 *     Effect.catchTag("OutcomeUnknown", (error) => Transactions.reconcile(error, payout))
 *   )
 * ```
 */
export const reconcile = Effect.fnUntraced(function* (
  outcomeUnknown: OutcomeUnknown,
  input: SendInput | TransferInput,
  options?: ReconcileOptions
): Effect.fn.Return<Reconciliation, ReconcileFailed, CustodyClient> {
  const { fingerprint, operation, sentAt } = outcomeUnknown
  const call = describeCall(input)
  const inputFingerprint = Result.getOrUndefined(call.fingerprint)
  const message = `is not the input of the ${operation} whose outcome is unknown`
  const look =
    inputFingerprint === fingerprint && call.operation === operation
      ? HistorySearch.find(history, call.sought, { ...options, since: sentAt })
      : Effect.fail(new InputInvalid({ operation: "transactions.reconcile", issues: [{ path: [], message }] }))
  return yield* search({ operation, fingerprint, unknown: outcomeUnknown }, look)
}, Instrumentation.around("transactions.reconcile"))

/**
 * `true` if a transaction is certainly the payment of an input: it has the input's note, and no field that differs.
 * Reads nothing. If several transactions match, each has moved the money.
 *
 * @since 0.1.0
 * @category reconciliation
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const payments = (payout: Transactions.SendInput, page: ReadonlyArray<Transactions.Transaction>) =>
 *   page.filter((transaction) => Transactions.matches(payout, transaction))
 * ```
 */
export const matches = (input: SendInput | TransferInput, transaction: Transaction): boolean =>
  Comparison.isOurs(describePayment(input), transaction)

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { send, transfer, list, get, status }
