/** Movements of assets: make them, find them, follow them to their end. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Fingerprint from "@effect-custody/core/Fingerprint"
import type * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import { type OutcomeUnknown, RequestInvalid } from "@effect-custody/core/SdkError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Reconciliation from "./Reconciliation.ts"
import { TransactionsApi } from "./TransactionsApi.ts"

// The records of this category, under its name.
export { Status } from "@effect-custody/core/Polling"
export type { Reconciliation } from "./Reconciliation.ts"
export { SubmittedTransaction, Transaction, TransactionType } from "./Transaction.ts"
export { TransactionStatus } from "./TransactionStatus.ts"

/**
 * Sends an asset from a client's wallet to an external address. It gives the transaction as the service took it on; how
 * it ends is told by {@link awaitFinal}.
 *
 * `amount` is in units of the asset and above zero; `networkId` is needed where an asset is on several networks.
 *
 * Fails with `NotFound` if the service does not know what is named, `ValidationFailed` for what it refuses, and
 * **`OutcomeUnknown` if the money may have moved**: never send again before {@link list} has shown that it did not.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `POST /transactions/send`.
 *
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
 *     amount: Amount.fromString("12.50")
 *   })
 *   return yield* Transactions.awaitFinal(sent.id)
 * })
 * ```
 */
export const send = Endpoint.make(TransactionsApi, "send")

/**
 * Moves an asset from one client to another. It gives the transaction as the service took it on.
 *
 * `amount` is in units of the asset and above zero.
 *
 * Fails with `NotFound` if the service does not know what is named, `ValidationFailed` for what it refuses, and
 * **`OutcomeUnknown` if the money may have moved**: never send again before {@link list} has shown that it did not.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `POST /transactions/transfer`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.transfer({
 *   fromClientId: "alice",
 *   toClientId: "bob",
 *   assetId: "usdc",
 *   amount: Amount.fromString("3"),
 *   note: "rent"
 * })
 * ```
 */
export const transfer = Endpoint.make(TransactionsApi, "transfer")

/**
 * One page of the vault's transactions: of one client, asset, network, type or status, and from one moment to another,
 * if you say so.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions`.
 *
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
export const list = Endpoint.list(TransactionsApi, "list")

/**
 * All transactions that {@link list} would give, read page after page as they are taken. Fails as it does.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const failed = Transactions.stream({ clientId: "alice", status: "ERROR" }).pipe(Stream.runCollect)
 * ```
 */
export const stream = (query: Parameters<typeof list>[0] = {}) => Page.stream(list, query)

/**
 * A transaction. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions/:transactionId`.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const program = Transactions.get({ transactionId: "t-1" })
 * ```
 */
export const get = Endpoint.make(TransactionsApi, "get")

/**
 * How far a transaction is. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Transactions. The wire is assumed: `GET /transactions/:transactionId/status`.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Transactions.status({ transactionId: "t-1" }).pipe(Effect.map(({ status }) => status))
 * ```
 */
export const status = Endpoint.make(TransactionsApi, "status")

/**
 * Waits until a transaction is completed, rejected or in error, and gives it as it is then: look at its `status`. A
 * status that is not known is not final.
 *
 * It looks after 1 second, then ever less often, at most every 15 seconds, for at most 15 minutes; `options` say
 * otherwise. Fails as {@link get} does, and with `StillPending` at the deadline: wait again with the same id.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
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
export const awaitFinal = Effect.fn("transactions.awaitFinal")(
  (transactionId: Id.Named<"TransactionId">, options: Polling.AwaitOptions = {}) =>
    Polling.awaitFinal(get({ transactionId }), {
      ...options,
      operation: "transactions.awaitFinal",
      id: transactionId,
      isFinal: options.isFinal ?? Polling.isFinal
    })
)

/**
 * A transaction now, and again each time its status is another, until that is final. Looks as often as
 * {@link awaitFinal} does, while somebody takes; it has no deadline. Fails as {@link get} does.
 *
 * Specification: "States and transitions". The identifiers of statuses are assumed.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const program = Transactions.watch("t-1").pipe(Stream.runForEach(({ status }) => Effect.log(status)))
 * ```
 */
export const watch = (transactionId: Id.Named<"TransactionId">, options: Polling.WatchOptions = {}) => {
  const isFinal = options.isFinal ?? Polling.isFinal
  return Stream.fromEffectSchedule(get({ transactionId }), options.schedule ?? Polling.schedule).pipe(
    Stream.changesWith((before, now) => before.status === now.status),
    Stream.takeUntil((transaction) => isFinal(transaction.status))
  )
}

type SendInput = Parameters<typeof send>[0]
type TransferInput = Parameters<typeof transfer>[0]

/** Our clock and the service's may differ by so much. */
const skew = "2 minutes"

/** What was asked for, if it is what the outcome is unknown of. */
const wantedOf = (
  { fingerprint, operation }: OutcomeUnknown,
  input: SendInput | TransferInput
): Effect.Effect<Reconciliation.Wanted, RequestInvalid> =>
  Effect.gen(function* () {
    const isTransfer = "fromClientId" in input
    const endpoint = isTransfer ? transfer : send
    const given = yield* Effect.fromResult(isTransfer ? Fingerprint.of(transfer, input) : Fingerprint.of(send, input))
    if (operation !== endpoint.operation || given !== fingerprint) {
      const message = `is not the input of the ${operation} whose outcome is unknown`
      return yield* new RequestInvalid({ operation: "transactions.reconcile", issues: [{ path: [], message }] })
    }
    const { amount, assetId, note } = input
    return isTransfer
      ? { clientId: input.fromClientId, assetId, networkId: undefined, to: undefined, amount, note }
      : { clientId: input.clientId, assetId, networkId: input.networkId, to: input.to, amount, note }
  })

/**
 * Looks for a {@link send} or {@link transfer} whose outcome is unknown in the history from just before it was sent, and
 * says whether it is there: `Found`, `NotFoundSoFar`, or `SeveralCandidates`. It only reads, and never sends again.
 *
 * `outcomeUnknown` is the error of the call, `input` what it was called with: another input is refused with
 * `RequestInvalid`. A `note` of your own, different for each transaction, makes the answer plain. Not found so far does
 * not mean that it will not appear: look again before you decide. Fails as {@link list} does.
 *
 * Specification: "Endpoint categories", Transactions: "History can be filtered". The wire is assumed.
 *
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
 *   amount: Amount.fromString("12.50"),
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
export const reconcile = Effect.fn("transactions.reconcile")(function* (
  outcomeUnknown: OutcomeUnknown,
  input: SendInput | TransferInput
) {
  const wanted = yield* wantedOf(outcomeUnknown, input)
  const from = DateTime.subtractDuration(outcomeUnknown.sentAt, skew)
  const history = yield* Stream.runCollect(
    stream({ clientId: wanted.clientId, assetId: wanted.assetId, from, limit: 100 })
  )
  return Reconciliation.reconcile(wanted, history)
})
