/**
 * The transactions of a vault: sends, transfers, and the history of everything that moved.
 *
 * Specification: "Endpoint categories", Transactions; "States and transitions". Assumed beyond it: an address with
 * `rejected` or `error` in it is where a send ends so.
 */
import { TransactionsApi } from "@effect-custody/transactions/TransactionsApi"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Answer from "./answer.ts"
import { findAsset } from "./catalogue.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Course from "./course.ts"
import * as Dialect from "./dialect.ts"
import * as Ids from "./ids.ts"
import * as Ledger from "./ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, movable, textOf, zero } from "./money.ts"
import { present } from "./present.ts"
import { refundedOf } from "./refunds.ts"
import { oneOf } from "./validation.ts"
import * as Slice from "./slice.ts"
import type { Vault } from "./world.ts"

const types = ["INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE"]
const statuses = ["PENDING", "BROADCASTING", "COMPLETED", "REJECTED", "ERROR"]

/** How the next transactions end that would otherwise be completed. */
export const slice = Slice.make({ name: "ends", schema: Slice.list(Course.End), initial: () => [] })

/** Lets the next sends and transfers of a vault end otherwise than they would. */
export const failNext = (vault: Vault, end: Course.End, times: number): void => {
  for (let n = 0; n < times; n++) vault.state(slice).push(end)
}

/** How a transaction to an address will end. */
const endOf = (vault: Vault, address: string): Course.End => {
  const planned = vault.state(slice).shift()
  if (planned !== undefined) return planned
  if (/rejected/i.test(address)) return "REJECTED"
  return /error/i.test(address) ? "ERROR" : "COMPLETED"
}

const codes = { client: "E53001", asset: "E53002", funds: "E53003", transaction: "E53004" }

/** A transaction as answers tell it. */
const shown = (vault: Vault, transaction: Ledger.Transaction, now: number) => {
  const { amount, assetId, clientIds, course, from, hash, id, networkId, note, to, type, walletId } = transaction
  const [clientId] = clientIds
  const status = Course.statusAt(course, now)
  const refunded = refundedOf(vault, id)
  return {
    ...present({
      id: Ids.transaction(id),
      status,
      type,
      clientId: clientId === undefined ? undefined : Ids.client(clientId),
      walletId: walletId === undefined ? undefined : Ids.wallet(walletId),
      assetId: assetId === undefined ? undefined : Ids.asset(assetId),
      networkId: networkId === undefined ? undefined : Ids.network(networkId),
      amount: amount === undefined ? undefined : amountOf(amount),
      fee: amountOf(zero),
      from,
      to,
      note,
      // A blockchain knows of it when it is broadcast.
      hash: status === "PENDING" || status === "REJECTED" ? undefined : hash,
      createdAt: Dialect.date(vault.world, course.beganAt),
      updatedAt: Dialect.date(vault.world, Course.changedAt(course, now))
    }),
    // Of fiat deposits, beyond what the record promises.
    ...(transaction.currency === undefined ? {} : { currency: transaction.currency }),
    ...(refunded === undefined ? {} : { refundedAmount: textOf(refunded) })
  }
}

const columnsAt = (now: number): Listing.Columns<Ledger.Transaction> => ({
  id: ({ id }) => Number(id),
  createdAt: ({ course }) => course.beganAt,
  updatedAt: ({ course }) => Course.changedAt(course, now),
  amount: ({ amount }) => amount,
  status: ({ course }) => Course.statusAt(course, now),
  type: ({ type }) => type,
  clientId: ({ clientIds }) => clientIds[0],
  assetId: ({ assetId }) => assetId,
  networkId: ({ networkId }) => networkId,
  from: ({ from }) => from,
  to: ({ to }) => to,
  note: ({ note }) => note,
  hash: ({ hash }) => hash
})

/** The wallet that an amount can be spent from. */
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
        yield* movable("amount", amount)
        yield* Clients.known(vault, clientId, codes.client)
        const asset = yield* findAsset(vault, payload, codes.asset)
        const ledger = Ledger.at(vault, now)
        const wallet = yield* funded(ledger.find(clientId, asset), amount)
        const course = Course.overNetwork(now, world.settings.durations, endOf(vault, to))
        const sent = ledger.send(wallet, amount, { to, note, course })
        return Answer.granted("Transaction created", shown(vault, sent, now))
      })
    ),

  transfer: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, fromClientId, note, toClientId } = payload
        yield* movable("amount", amount)
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
        const course = Course.inVault(now, world.settings.durations, endOf(vault, ""))
        const moved = ledger.transfer(from, to, amount, { note, course })
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
    const rows = [...Ledger.at(vault, now).transactions.values()].filter(
      (transaction) =>
        (clientId === undefined || transaction.clientIds.includes(clientId)) &&
        (assetId === undefined || transaction.assetId === assetId) &&
        (networkId === undefined || transaction.networkId === networkId) &&
        (type === undefined || transaction.type === type) &&
        (status === undefined || Course.statusAt(transaction.course, now) === status) &&
        transaction.course.beganAt >= earliest &&
        transaction.course.beganAt <= latest
    )
    return Listing.page(world, query, {
      message: "Transactions",
      rows,
      columns: columnsAt(now),
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
      Result.map(foundTransaction(vault, transactionId, now), ({ course, id }) =>
        Answer.granted("Transaction status", {
          status: Course.statusAt(course, now),
          id: Ids.transaction(id),
          updatedAt: Dialect.date(world, Course.changedAt(course, now))
        })
      )
    )
})
