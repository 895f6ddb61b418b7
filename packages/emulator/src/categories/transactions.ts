/**
 * The transactions of a vault: sends, transfers, and the history of all of them.
 *
 * Specification: "Endpoint categories", Transactions; "States and transitions". The emulator adds a rule: a send ends
 * as `REJECTED` if its address contains `rejected`, and as `ERROR` if its address contains `error`.
 */
import * as TransactionsSdk from "@effect-custody/transactions/Transactions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { findAsset, found, inRange, oneOf } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { formatSum, zero } from "../state/money.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

/** The final statuses of the next sends and transfers, set by `failNext`. */
export const plannedEnds = StateField.make({ name: "ends", schema: StateField.list(Lifecycle.End), initial: () => [] })

/** Sets the final status of the next sends and transfers of a vault. If `times` is 0, removes the planned statuses. */
export const failNext = (vault: Vault, end: Lifecycle.End, times: number): void => {
  if (times === 0) vault.state(plannedEnds).length = 0
  for (let n = 0; n < times; n++) vault.state(plannedEnds).push(end)
}

/**
 * Takes the next status that `failNext` planned. Without a planned status, the recipient's address sets the final
 * status.
 */
const takeEnd = (vault: Vault, address: string): Lifecycle.End => {
  const planned = vault.state(plannedEnds).shift()
  if (planned !== undefined) return planned
  if (/rejected/i.test(address)) return "REJECTED"
  return /error/i.test(address) ? "ERROR" : "COMPLETED"
}

/** A transaction as answers show it. */
const view = (transaction: Ledger.Transaction, now: number) => {
  const { amount, assetId, clientIds, from, hash, id, lifecycle, networkId, note, to, type, walletId } = transaction
  const status = Lifecycle.statusAt(lifecycle, now)
  return {
    id,
    status,
    type,
    clientId: clientIds[0],
    toClientId: clientIds[1],
    walletId,
    assetId,
    networkId,
    amount,
    fee: zero,
    from,
    to,
    note,
    // The hash exists once the transaction is broadcast.
    hash: status === "PENDING" || status === "REJECTED" ? undefined : hash,
    createdAt: DateTime.makeUnsafe(lifecycle.createdAt),
    updatedAt: DateTime.makeUnsafe(Lifecycle.changedAt(lifecycle, now)),
    // These fields exist only for fiat deposits. The contract does not declare them.
    extra: {
      currency: transaction.currency,
      refundedAmount: transaction.refunded && formatSum(transaction.refunded)
    }
  }
}

/** Returns the wallet if its balance covers the amount, otherwise the refusal. */
const funded = (wallet: Ledger.Wallet | undefined, amount: BigDecimal.BigDecimal) =>
  wallet === undefined || BigDecimal.isLessThan(wallet.balance, amount)
    ? Result.fail(Answer.notNow("E53003", { amount: ["exceeds the balance"] }))
    : Result.succeed(wallet)

const find = (vault: Vault, id: string, now: number) => found(Ledger.at(vault, now).transactions.get(id), "E53004")

export const transactions = Category.define(TransactionsSdk.endpoints, {
  *send({ now, input, vault, world }) {
    const { amount, clientId, note, to } = input
    yield* inRange("amount", amount)
    yield* Clients.known(vault, clientId, "E53001")
    const asset = yield* findAsset(vault, input, "E53002")
    const ledger = Ledger.at(vault, now)
    const wallet = yield* funded(ledger.find(clientId, asset), amount)
    const lifecycle = Lifecycle.onChain(now, world.settings.durations, takeEnd(vault, to))
    return Answer.granted("Transaction created", view(ledger.send(wallet, amount, { to, note, lifecycle }), now))
  },

  *transfer({ now, input, vault, world }) {
    const { amount, fromClientId, note, toClientId } = input
    yield* inRange("amount", amount)
    if (fromClientId === toClientId) return Answer.invalid({ toClientId: ["must not be the same as fromClientId"] })
    yield* Clients.known(vault, fromClientId, "E53001")
    yield* Clients.known(vault, toClientId, "E53001")
    const asset = yield* findAsset(vault, input, "E53002")
    const ledger = Ledger.at(vault, now)
    const from = yield* funded(ledger.find(fromClientId, asset), amount)
    const to = ledger.open(toClientId, asset)
    const lifecycle = Lifecycle.offChain(now, world.settings.durations, takeEnd(vault, ""))
    return Answer.granted("Transaction created", view(ledger.transfer(from, to, amount, { note, lifecycle }), now))
  },

  *list(call) {
    const { now, input, vault } = call
    const { clientId, from, to } = input
    yield* oneOf("type", input.type, ["INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE"])
    yield* oneOf("status", input.status, ["PENDING", "BROADCASTING", "COMPLETED", "REJECTED", "ERROR"])
    const earliest = from === undefined ? -Infinity : DateTime.toEpochMillis(from)
    const latest = to === undefined ? Infinity : DateTime.toEpochMillis(to)
    const rows = [...Ledger.at(vault, now).transactions.values()].filter(
      ({ clientIds, lifecycle: { createdAt } }) =>
        (clientId === undefined || clientIds.includes(clientId)) && earliest <= createdAt && createdAt <= latest
    )
    return Listing.page(call, "Transactions", {
      rows,
      show: (transaction) => view(transaction, now),
      filters: ["assetId", "networkId", "status", "type"]
    })
  },

  *get({ now, input: { transactionId }, vault }) {
    return Answer.granted("Transaction", view(yield* find(vault, transactionId, now), now))
  },

  *status({ now, input: { transactionId }, vault }) {
    const { id, status, updatedAt } = view(yield* find(vault, transactionId, now), now)
    return Answer.granted("Transaction status", { status, id, updatedAt })
  }
})
