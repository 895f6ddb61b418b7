/**
 * The fiat gateway: payment links, and refunds of deposits.
 *
 * Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions". Assumed: a deposit through a
 * link is eligible until it is refunded in full.
 */
import { FiatGatewayApi } from "@effect-custody/fiat-gateway/FiatGatewayApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inRange, knownCurrency } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import * as LedgerRecords from "../state/ledgerRecords.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, Sum, zero } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { refundedOf, setRefunded } from "../state/refunds.ts"
import { oneOf } from "../http/validation.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault, World } from "../state/world.ts"

const Link = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  amount: Sum,
  currency: Schema.String,
  method: Schema.UndefinedOr(Schema.String),
  createdAt: Schema.Finite,
  expiresAt: Schema.Finite,
  /** Once it is paid. */
  deposit: Schema.mutableKey(Schema.UndefinedOr(LedgerRecords.Transaction))
})
type Link = typeof Link.Type

export const linkTable = StateField.make({
  name: "paymentLinks",
  schema: StateField.table(Link),
  initial: () => new Map()
})

const methods = ["CARD", "BANK_TRANSFER"]
const statuses = ["PENDING", "COMPLETED", "EXPIRED", "ERROR"]

const codes = {
  client: "E58001",
  link: "E58002",
  transaction: "E58003",
  notEligible: "E58004",
  tooMuch: "E58005"
} as const satisfies Readonly<Record<string, InventedCode>>

const statusAt = ({ deposit, expiresAt }: Link, now: number): "PENDING" | "COMPLETED" | "EXPIRED" =>
  deposit !== undefined ? "COMPLETED" : now >= expiresAt ? "EXPIRED" : "PENDING"

const changedAt = ({ createdAt, deposit, expiresAt }: Link, now: number): number =>
  deposit !== undefined ? deposit.lifecycle.createdAt : now >= expiresAt ? expiresAt : createdAt

const shown = ({ world }: Vault, link: Link, now: number) => {
  const { amount, clientId, createdAt, currency, deposit, id, method } = link
  return omitUndefined({
    id: Ids.link(id),
    url: `https://pay.custody.example/links/${id}`,
    status: statusAt(link, now),
    clientId: Ids.client(clientId),
    amount: amountOf(amount),
    currency,
    method,
    transactionId: deposit === undefined ? undefined : Ids.transaction(deposit.id),
    createdAt: WireFormat.formatDate(world, createdAt),
    updatedAt: WireFormat.formatDate(world, changedAt(link, now))
  })
}

const columnsAt = (now: number): Listing.Columns<Link> => ({
  id: ({ id }) => Number(id),
  createdAt: ({ createdAt }) => createdAt,
  status: (link) => statusAt(link, now),
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  clientId: ({ clientId }) => clientId,
  method: ({ method }) => method
})

/** What can still be refunded of a deposit. */
const refundable = ({ amount = zero, id }: LedgerRecords.Transaction, vault: Vault) => {
  const refunded = refundedOf(vault, id)
  const left = refunded === undefined ? zero : BigDecimal.subtract(amount, refunded)
  return BigDecimal.isZero(left)
    ? Result.fail(Answer.notNow(codes.notEligible, "Transaction is not eligible for a refund"))
    : Result.succeed({ left, refunded: refunded ?? zero })
}

export const fiatGateway = Category.define(FiatGatewayApi, {
  createPaymentLink: ({ now, payload, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        const { amount, clientId, method } = payload
        yield* inRange("amount", amount)
        const currency = yield* knownCurrency(payload.currency)
        if (method !== undefined && !methods.includes(method)) {
          return yield* Result.fail(Answer.invalid(Answer.validationCode, { method: [oneOf(methods)] }))
        }
        yield* Clients.known(vault, clientId, codes.client)
        const expiresAt = now + Duration.toMillis(world.settings.durations.paymentLinksExpireAfter)
        const id = world.nextId()
        const link: Link = { id, clientId, amount, currency, method, createdAt: now, expiresAt, deposit: undefined }
        vault.state(linkTable).set(id, link)
        return Answer.granted("Payment link created", shown(vault, link, now))
      })
    ),

  getPaymentLink: ({ now, params: { linkId }, vault }) => {
    const link = vault.state(linkTable).get(linkId)
    return link === undefined
      ? Answer.notFound(codes.link, "Payment link not found")
      : Answer.granted("Payment link", shown(vault, link, now))
  },

  listPaymentLinks: ({ now, query, vault, world }) => {
    const { clientId, status } = query
    if (status !== undefined && !statuses.includes(status)) {
      return Answer.invalid(Answer.validationCode, { status: [oneOf(statuses)] })
    }
    const rows = [...vault.state(linkTable).values()].filter(
      (link) =>
        (clientId === undefined || link.clientId === clientId) &&
        (status === undefined || statusAt(link, now) === status)
    )
    return Listing.page(world, query, {
      message: "Payment links",
      rows,
      columns: columnsAt(now),
      show: (link) => shown(vault, link, now)
    })
  },

  refund: ({ now, params: { transactionId }, payload: { amount, reason }, vault, world }) =>
    Result.merge(
      Result.gen(function* () {
        if (amount !== undefined) yield* inRange("amount", amount)
        const ledger = Ledger.at(vault, now)
        const deposit = yield* Result.fromNullishOr(ledger.transactions.get(transactionId), () =>
          Answer.notFound(codes.transaction, "Transaction not found")
        )
        const { left, refunded } = yield* refundable(deposit, vault)
        const back = amount ?? left
        if (BigDecimal.isGreaterThan(back, left)) {
          const fields = { amount: ["exceeds what is left of the deposit"] }
          return yield* Result.fail(Answer.notNow(codes.tooMuch, "Refund is higher than the deposit", fields))
        }
        setRefunded(vault, deposit.id, BigDecimal.sum(refunded, back))
        const { lifecycle, currency, id } = ledger.record({
          type: "OUTGOING",
          lifecycle: Lifecycle.completed(now),
          clientIds: deposit.clientIds,
          amount: back,
          currency: deposit.currency,
          to: deposit.from,
          note: reason
        })
        return Answer.granted(
          "Refund created",
          omitUndefined({
            id,
            transactionId: Ids.transaction(deposit.id),
            status: Lifecycle.statusAt(lifecycle, now),
            amount: amountOf(back),
            currency,
            reason,
            createdAt: WireFormat.formatDate(world, now)
          })
        )
      })
    )
})

/** Pays through a link of any vault. Returns the deposit, or why the link cannot be paid. */
export const pay = (world: World, linkId: string, now: number): Result.Result<LedgerRecords.Transaction, string> => {
  const vault = [...world.vaults()].find((vault) => vault.state(linkTable).has(linkId))
  const link = vault?.state(linkTable).get(linkId)
  if (vault === undefined || link === undefined) return Result.fail("Payment link not found")
  const status = statusAt(link, now)
  if (status !== "PENDING") return Result.fail(`Payment link is ${status}`)
  const { amount, clientId, currency, method = "CARD" } = link
  link.deposit = Ledger.at(vault, now).record({
    type: "INCOMING",
    lifecycle: Lifecycle.completed(now),
    clientIds: [clientId],
    amount,
    currency,
    from: method
  })
  setRefunded(vault, link.deposit.id, zero)
  return Result.succeed(link.deposit)
}
