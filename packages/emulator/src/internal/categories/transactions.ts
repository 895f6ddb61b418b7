/**
 * The transactions of a vault: sends, transfers, and the history of all of them.
 *
 * Specification: "Endpoint categories", Transactions; "States and transitions". The emulator's own: a send to an
 * address that contains `rejected` or `error` ends with that status.
 */
import { TransactionsApi } from "@effect-custody/transactions/TransactionsApi"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { findAsset, inRange } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, textOf, zero } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { refundedOf } from "../state/refunds.ts"
import { oneOf } from "../http/validation.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

const types = ["INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE"]
const statuses = ["PENDING", "BROADCASTING", "COMPLETED", "REJECTED", "ERROR"]

/** The ends of the next sends and transfers, set by `failNext`. */
export const plannedEnds = StateField.make({ name: "ends", schema: StateField.list(Lifecycle.End), initial: () => [] })

/** Plans how the next sends and transfers of a vault end. */
export const failNext = (vault: Vault, end: Lifecycle.End, times: number): void => {
  for (let n = 0; n < times; n++) vault.state(plannedEnds).push(end)
}

/** How the next transaction, to this address, will end. */
const endOf = (vault: Vault, address: string): Lifecycle.End => {
  const planned = vault.state(plannedEnds).shift()
  if (planned !== undefined) return planned
  if (/rejected/i.test(address)) return "REJECTED"
  return /error/i.test(address) ? "ERROR" : "COMPLETED"
}

const codes = { client: "E53001", asset: "E53002", funds: "E53003", transaction: "E53004" } as const satisfies Readonly<
  Record<string, InventedCode>
>

/** A transaction as answers show it. */
const shown = (vault: Vault, transaction: Ledger.Transaction, now: number) => {
  const { amount, assetId, clientIds, lifecycle, from, hash, id, networkId, note, to, type, walletId } = transaction
  const [clientId, toClientId] = clientIds
  const status = Lifecycle.statusAt(lifecycle, now)
  const refunded = refundedOf(vault, id)
  return {
    ...omitUndefined({
      id: Ids.transaction(id),
      status,
      type,
      clientId: clientId === undefined ? undefined : Ids.client(clientId),
      toClientId: toClientId === undefined ? undefined : Ids.client(toClientId),
      walletId: walletId === undefined ? undefined : Ids.wallet(walletId),
      assetId: assetId === undefined ? undefined : Ids.asset(assetId),
      networkId: networkId === undefined ? undefined : Ids.network(networkId),
      amount: amount === undefined ? undefined : amountOf(amount),
      fee: amountOf(zero),
      from,
      to,
      note,
      // The hash exists once the transaction is broadcast.
      hash: status === "PENDING" || status === "REJECTED" ? undefined : hash,
      createdAt: WireFormat.formatDate(vault.world, lifecycle.createdAt),
      updatedAt: WireFormat.formatDate(vault.world, Lifecycle.changedAt(lifecycle, now))
    }),
    // Only for fiat deposits; not declared by the contract.
    extra: omitUndefined({
      currency: transaction.currency,
      refundedAmount: refunded === undefined ? undefined : textOf(refunded)
    })
  }
}

const columnsAt = (now: number): Listing.Columns<Ledger.Transaction> => ({
  id: ({ id }) => Number(id),
  createdAt: ({ lifecycle }) => lifecycle.createdAt,
  updatedAt: ({ lifecycle }) => Lifecycle.changedAt(lifecycle, now),
  amount: ({ amount }) => amount,
  status: ({ lifecycle }) => Lifecycle.statusAt(lifecycle, now),
  type: ({ type }) => type,
  clientId: ({ clientIds }) => clientIds[0],
  assetId: ({ assetId }) => assetId,
  networkId: ({ networkId }) => networkId,
  from: ({ from }) => from,
  to: ({ to }) => to,
  note: ({ note }) => note,
  hash: ({ hash }) => hash
})

/** The wallet, if its balance covers the amount. */
const funded = (wallet: Ledger.Wallet | undefined, amount: BigDecimal.BigDecimal) =>
  wallet === undefined || BigDecimal.isLessThan(wallet.balance, amount)
    ? Result.fail(Answer.notNow(codes.funds, "Insufficient funds", { amount: ["exceeds the balance"] }))
    : Result.succeed(wallet)

const foundTransaction = (vault: Vault, id: string, now: number) =>
  Result.fromNullishOr(Ledger.at(vault, now).transactions.get(id), () =>
    Answer.notFound(codes.transaction, "Transaction not found")
  )

export const transactions = Category.define(TransactionsApi, {
  send: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, clientId, note, to } = payload
        yield* inRange("amount", amount)
        yield* Clients.known(vault, clientId, codes.client)
        const asset = yield* findAsset(vault, payload, codes.asset)
        const ledger = Ledger.at(vault, now)
        const wallet = yield* funded(ledger.find(clientId, asset), amount)
        const lifecycle = Lifecycle.onChain(now, world.settings.durations, endOf(vault, to))
        const sent = ledger.send(wallet, amount, { to, note, lifecycle })
        return Answer.granted("Transaction created", shown(vault, sent, now))
      })
    ),

  transfer: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, fromClientId, note, toClientId } = payload
        yield* inRange("amount", amount)
        if (fromClientId === toClientId) {
          const fields = { toClientId: ["must not be the same as fromClientId"] }
          return yield* Result.fail(Answer.invalid(Answer.validationCode, fields))
        }
        yield* Clients.known(vault, fromClientId, codes.client)
        yield* Clients.known(vault, toClientId, codes.client)
        const asset = yield* findAsset(vault, payload, codes.asset)
        const ledger = Ledger.at(vault, now)
        const from = yield* funded(ledger.find(fromClientId, asset), amount)
        const to = ledger.open(toClientId, asset)
        const lifecycle = Lifecycle.offChain(now, world.settings.durations, endOf(vault, ""))
        const moved = ledger.transfer(from, to, amount, { note, lifecycle })
        return Answer.granted("Transaction created", shown(vault, moved, now))
      })
    ),

  list: ({ now, query, vault, world }) => {
    const { assetId, clientId, from, networkId, status, to, type } = query
    const wrong = {
      ...(type === undefined || types.includes(type) ? {} : { type: [oneOf(types)] }),
      ...(status === undefined || statuses.includes(status) ? {} : { status: [oneOf(statuses)] })
    }
    if (Object.keys(wrong).length > 0) return Answer.invalid(Answer.validationCode, wrong)
    const earliest = from === undefined ? -Infinity : DateTime.toEpochMillis(from)
    const latest = to === undefined ? Infinity : DateTime.toEpochMillis(to)
    const { index } = Ledger.at(vault, now)
    const candidates = clientId === undefined ? index.all : index.ofClient(clientId)
    const isFiltered = [assetId, from, networkId, status, to, type].some((value) => value !== undefined)
    const matches = (transaction: Ledger.Transaction) =>
      (assetId === undefined || transaction.assetId === assetId) &&
      (networkId === undefined || transaction.networkId === networkId) &&
      (type === undefined || transaction.type === type) &&
      (status === undefined || Lifecycle.statusAt(transaction.lifecycle, now) === status) &&
      transaction.lifecycle.createdAt >= earliest &&
      transaction.lifecycle.createdAt <= latest
    return Listing.page(world, query, {
      message: "Transactions",
      rows: isFiltered ? candidates.filter(matches) : candidates,
      columns: columnsAt(now),
      sortedBy: index.isChronological() ? ["id", "createdAt"] : ["id"],
      show: (transaction) => shown(vault, transaction, now)
    })
  },

  get: ({ now, params: { transactionId }, vault }) =>
    Result.merge(
      Result.map(foundTransaction(vault, transactionId, now), (transaction) =>
        Answer.granted("Transaction", shown(vault, transaction, now))
      )
    ),

  status: ({ now, params: { transactionId }, vault, world }) =>
    Result.merge(
      Result.map(foundTransaction(vault, transactionId, now), ({ lifecycle, id }) =>
        Answer.granted("Transaction status", {
          status: Lifecycle.statusAt(lifecycle, now),
          id: Ids.transaction(id),
          updatedAt: WireFormat.formatDate(world, Lifecycle.changedAt(lifecycle, now))
        })
      )
    )
})
