/**
 * The fiat gateway: links by which clients pay in, and refunds of what they paid.
 *
 * Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions". Assumed: eligible is a deposit
 * by a link, as long as not all of it went back.
 */
import { FiatGatewayApi } from "@effect-custody/fiat-gateway/FiatGatewayApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "./answer.ts"
import * as Books from "./books.ts"
import { knownCurrency } from "./catalogue.ts"
import * as Category from "./category.ts"
import * as Clients from "./clients.ts"
import * as Course from "./course.ts"
import * as Dialect from "./dialect.ts"
import * as Ids from "./ids.ts"
import * as Ledger from "./ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf, movable, Sum, zero } from "./money.ts"
import { present } from "./present.ts"
import { refundedOf, setRefunded } from "./refunds.ts"
import { oneOf } from "./validation.ts"
import * as Slice from "./slice.ts"
import type { Vault, World } from "./world.ts"

const Link = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  amount: Sum,
  currency: Schema.String,
  method: Schema.UndefinedOr(Schema.String),
  createdAt: Schema.Finite,
  expiresAt: Schema.Finite,
  /** Once somebody paid. */
  deposit: Schema.mutableKey(Schema.UndefinedOr(Books.Transaction))
})
type Link = typeof Link.Type

export const slice = Slice.make({ name: "paymentLinks", schema: Slice.table(Link), initial: () => new Map() })

const methods = ["CARD", "BANK_TRANSFER"]
const statuses = ["PENDING", "COMPLETED", "EXPIRED", "ERROR"]

const codes = { client: "E58001", link: "E58002", transaction: "E58003", notEligible: "E58004", tooMuch: "E58005" }

const statusAt = ({ deposit, expiresAt }: Link, now: number): "PENDING" | "COMPLETED" | "EXPIRED" =>
  deposit !== undefined ? "COMPLETED" : now >= expiresAt ? "EXPIRED" : "PENDING"

const changedAt = ({ createdAt, deposit, expiresAt }: Link, now: number): number =>
  deposit !== undefined ? deposit.course.beganAt : now >= expiresAt ? expiresAt : createdAt

const shown = ({ world }: Vault, link: Link, now: number) => {
  const { amount, clientId, createdAt, currency, deposit, id, method } = link
  return present({
    id: Ids.link(id),
    url: `https://pay.custody.example/links/${id}`,
    status: statusAt(link, now),
    clientId: Ids.client(clientId),
    amount: amountOf(amount),
    currency,
    method,
    transactionId: deposit === undefined ? undefined : Ids.transaction(deposit.id),
    createdAt: Dialect.date(world, createdAt),
    updatedAt: Dialect.date(world, changedAt(link, now))
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

/** What can still go back of a deposit. */
const refundable = ({ amount = zero, id }: Books.Transaction, vault: Vault) => {
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
        yield* movable("amount", amount)
        const currency = yield* knownCurrency(payload.currency)
        if (method !== undefined && !methods.includes(method)) {
          return yield* Result.fail(Answer.invalid(Answer.validationCode, { method: [oneOf(methods)] }))
        }
        yield* Clients.known(vault, clientId, codes.client)
        const expiresAt = now + Duration.toMillis(world.settings.durations.paymentLinksExpireAfter)
        const id = world.nextId()
        const link: Link = { id, clientId, amount, currency, method, createdAt: now, expiresAt, deposit: undefined }
        vault.state(slice).set(id, link)
        return Answer.granted("Payment link created", shown(vault, link, now))
      })
    ),

  getPaymentLink: ({ now, params: { linkId }, vault }) => {
    const link = vault.state(slice).get(linkId)
    return link === undefined
      ? Answer.notFound(codes.link, "Payment link not found")
      : Answer.granted("Payment link", shown(vault, link, now))
  },

  listPaymentLinks: ({ now, query, vault, world }) => {
    const { clientId, status } = query
    if (status !== undefined && !statuses.includes(status)) {
      return Answer.invalid(Answer.validationCode, { status: [oneOf(statuses)] })
    }
    const rows = [...vault.state(slice).values()].filter(
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
        if (amount !== undefined) yield* movable("amount", amount)
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
        const { course, currency, id } = ledger.record({
          type: "OUTGOING",
          course: Course.done(now),
          clientIds: deposit.clientIds,
          amount: back,
          currency: deposit.currency,
          to: deposit.from,
          note: reason
        })
        return Answer.granted(
          "Refund created",
          present({
            id,
            transactionId: Ids.transaction(deposit.id),
            status: Course.statusAt(course, now),
            amount: amountOf(back),
            currency,
            reason,
            createdAt: Dialect.date(world, now)
          })
        )
      })
    )
})

/** Somebody pays by a link, in whatever vault it is: the deposit, or why it cannot be paid. */
export const pay = (world: World, linkId: string, now: number): Result.Result<Books.Transaction, string> => {
  const vault = [...world.vaults()].find((vault) => vault.state(slice).has(linkId))
  const link = vault?.state(slice).get(linkId)
  if (vault === undefined || link === undefined) return Result.fail("Payment link not found")
  const status = statusAt(link, now)
  if (status !== "PENDING") return Result.fail(`Payment link is ${status}`)
  const { amount, clientId, currency, method = "CARD" } = link
  link.deposit = Ledger.at(vault, now).record({
    type: "INCOMING",
    course: Course.done(now),
    clientIds: [clientId],
    amount,
    currency,
    from: method
  })
  setRefunded(vault, link.deposit.id, zero)
  return Result.succeed(link.deposit)
}
