/**
 * The fiat gateway: payment links, and refunds of deposits.
 *
 * Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions". Assumed: a deposit through a
 * link is eligible until it is refunded in full.
 */
import * as FiatGatewaySdk from "@effect-custody/fiat-gateway/FiatGateway"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { found, inRange, parseCurrency, oneOf } from "./checks.ts"
import * as Answer from "../http/answer.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Lifecycle from "../state/lifecycle.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { Sum, zero } from "../state/money.ts"
import * as StateField from "../state/stateField.ts"
import type { World } from "../state/world.ts"

const Link = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  amount: Sum,
  currency: Schema.String,
  method: Schema.UndefinedOr(Schema.String),
  createdAt: Schema.Finite,
  expiresAt: Schema.Finite,
  /** The deposit, once the link is paid. */
  deposit: Schema.mutableKey(Schema.UndefinedOr(Schema.Struct({ id: Schema.String, at: Schema.Finite })))
})
type Link = typeof Link.Type

export const linkTable = StateField.table("paymentLinks", Link)

const statusAt = ({ deposit, expiresAt }: Link, now: number): "PENDING" | "COMPLETED" | "EXPIRED" =>
  deposit !== undefined ? "COMPLETED" : now >= expiresAt ? "EXPIRED" : "PENDING"

const changedAt = ({ createdAt, deposit, expiresAt }: Link, now: number): number =>
  deposit !== undefined ? deposit.at : now >= expiresAt ? expiresAt : createdAt

const view = (link: Link, now: number) => ({
  id: link.id,
  url: `https://pay.custody.example/links/${link.id}`,
  status: statusAt(link, now),
  clientId: link.clientId,
  amount: link.amount,
  currency: link.currency,
  method: link.method,
  transactionId: link.deposit?.id,
  createdAt: DateTime.makeUnsafe(link.createdAt),
  updatedAt: DateTime.makeUnsafe(changedAt(link, now))
})

export const fiatGateway = Category.define(FiatGatewaySdk.endpoints, {
  *createPaymentLink({ now, input, vault, world }) {
    const { amount, clientId, method } = input
    yield* inRange("amount", amount)
    const currency = yield* parseCurrency(input.currency)
    yield* oneOf("method", method, ["CARD", "BANK_TRANSFER"])
    yield* Clients.known(vault, clientId, "E58001")
    const expiresAt = now + Duration.toMillis(world.settings.durations.paymentLinksExpireAfter)
    const id = world.nextId()
    const link: Link = { id, clientId, amount, currency, method, createdAt: now, expiresAt, deposit: undefined }
    vault.state(linkTable).set(id, link)
    return Answer.granted("Payment link created", view(link, now))
  },

  *getPaymentLink({ now, input: { linkId }, vault }) {
    return Answer.granted("Payment link", view(yield* found(vault.state(linkTable).get(linkId), "E58002"), now))
  },

  *listPaymentLinks(call) {
    const { now, input, vault } = call
    yield* oneOf("status", input.status, ["PENDING", "COMPLETED", "EXPIRED", "ERROR"])
    return Listing.page(call, "Payment links", {
      rows: vault.state(linkTable).values(),
      show: (link) => view(link, now),
      filters: ["clientId", "status"]
    })
  },

  *refund({ now, input: { transactionId, amount, reason }, vault }) {
    yield* inRange("amount", amount)
    const ledger = Ledger.at(vault, now)
    const deposit = yield* found(ledger.transactions.get(transactionId), "E58003")
    const { amount: deposited = zero, refunded } = deposit
    const left = refunded === undefined ? zero : BigDecimal.subtract(deposited, refunded)
    if (refunded === undefined || BigDecimal.isZero(left)) return Answer.notNow("E58004")
    const back = amount ?? left
    if (BigDecimal.isGreaterThan(back, left)) {
      return Answer.notNow("E58005", { amount: ["exceeds what is left of the deposit"] })
    }
    deposit.refunded = BigDecimal.sum(refunded, back)
    const { lifecycle, currency, id } = ledger.record({
      type: "OUTGOING",
      lifecycle: Lifecycle.completed(now),
      clientIds: deposit.clientIds,
      amount: back,
      currency: deposit.currency,
      to: deposit.from,
      note: reason
    })
    return Answer.granted("Refund created", {
      id,
      transactionId,
      status: Lifecycle.statusAt(lifecycle, now),
      amount: back,
      currency,
      reason,
      createdAt: DateTime.makeUnsafe(now)
    })
  }
})

/** Pays through a payment link of any vault. Returns the deposit, or the reason why the link cannot be paid. */
export const pay = (world: World, linkId: string, now: number): Result.Result<Ledger.Transaction, string> => {
  const vault = [...world.vaults()].find((vault) => vault.state(linkTable).has(linkId))
  const link = vault?.state(linkTable).get(linkId)
  if (vault === undefined || link === undefined) return Result.fail("Payment link not found")
  const status = statusAt(link, now)
  if (status !== "PENDING") return Result.fail(`Payment link is ${status}`)
  const { amount, clientId, currency, method = "CARD" } = link
  const deposit = Ledger.at(vault, now).record({
    type: "INCOMING",
    lifecycle: Lifecycle.completed(now),
    clientIds: [clientId],
    amount,
    currency,
    from: method,
    refunded: zero
  })
  link.deposit = { id: deposit.id, at: now }
  return Result.succeed(deposit)
}
