/** A payout from its order to its end: not more than there is, not twice, and not forgotten half-way. */
import { Amount, Id, Transactions, Wallets } from "@effect-custody/sdk"
import { BigDecimal, Effect, Option, Schedule, Schema, Stream } from "effect"

export interface Payout {
  /** A name of our own, which goes along as the note: by it, the payout is found again. */
  readonly name: string
  readonly clientId: string
  readonly assetId: string
  readonly to: string
  readonly amount: Amount.Amount
}

/** Nothing was sent: the client has less than this. */
export class NotEnough extends Schema.TaggedError<NotEnough>()("NotEnough", {
  clientId: Schema.String,
  has: Amount.Amount,
  wants: Amount.Amount
}) {
  override get message(): string {
    return `${this.clientId} has ${Amount.format(this.has)} of the ${Amount.format(this.wants)}`
  }
}

/** The service accepted it, and it was rejected or failed later. The money is where it was. */
export class PayoutFailed extends Schema.TaggedError<PayoutFailed>()("PayoutFailed", {
  transactionId: Id.TransactionId,
  status: Schema.String
}) {
  override get message(): string {
    return `transaction ${this.transactionId} ended as ${this.status}`
  }
}

/** It may have been sent, and the history does not show it. A person has to look before anybody sends it again. */
export class PayoutUnknown extends Schema.TaggedError<PayoutUnknown>()("PayoutUnknown", {
  name: Schema.String,
  sentAt: Schema.DateTimeUtc
}) {
  override get message(): string {
    return `nobody knows whether "${this.name}" was paid`
  }
}

const balanceOf = ({ assetId, clientId }: Payout) =>
  Wallets.stream({ clientId, assetId }).pipe(
    Stream.runFold(
      () => BigDecimal.fromBigInt(0n),
      (sum, { balance }) => (balance === undefined ? sum : BigDecimal.sum(sum, balance))
    ),
    Effect.map(Amount.fromBigDecimalUnsafe)
  )

/** The transaction of a payout, if the history shows one. */
const find = ({ clientId, name }: Payout) =>
  Transactions.stream({ clientId, type: "OUTGOING" }).pipe(
    Stream.filter(({ note }) => note === name),
    Stream.map(({ id }) => id),
    Stream.runHead
  )

/** A history may be a little behind: it is looked at for a minute. */
const whileBehind = Schedule.spaced("10 seconds").pipe(Schedule.upTo({ times: 6 }))

/** The id of the one transaction of a payout, whether it is sent now or was sent before. */
const sendOnce = Effect.fn("sendOnce")(function* (payout: Payout) {
  const earlier = yield* find(payout)
  if (Option.isSome(earlier)) return earlier.value
  const has = yield* balanceOf(payout)
  const { name, ...order } = payout
  if (BigDecimal.isLessThan(has, order.amount)) {
    return yield* new NotEnough({ clientId: order.clientId, has, wants: order.amount })
  }
  return yield* Transactions.send({ ...order, note: name }).pipe(
    Effect.map(({ id }): Id.TransactionId => id),
    Effect.catchTag("OutcomeUnknown", ({ sentAt }) =>
      find(payout).pipe(
        // A failed look-up counts as one that found nothing: its error must not hide that the payout may have been
        // sent.
        Effect.orElseSucceed(() => Option.none()),
        Effect.repeat({ schedule: whileBehind, until: Option.isSome }),
        Effect.flatMap((found) => Effect.fromOption(found, () => new PayoutUnknown({ name, sentAt })))
      )
    )
  )
})

/**
 * Pays out, and gives the completed transaction. Run again with the same payout, it follows what was sent, and sends
 * nothing a second time: after any end but `PayoutUnknown`, which is for a person to settle.
 */
export const payOut = Effect.fn("payOut")(function* (payout: Payout) {
  const transactionId = yield* sendOnce(payout)
  const transaction = yield* Transactions.awaitFinal(transactionId, { deadline: "1 hour" })
  const { status } = transaction
  return status === "COMPLETED" ? transaction : yield* new PayoutFailed({ transactionId, status })
})
