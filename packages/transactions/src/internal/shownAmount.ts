/** Whether the amount of a transaction is the one that was sent, or what a service may have made of it. Pure. */
import { Amount } from "@effect-custody/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Transaction } from "../Transaction.ts"

/** The fewest decimals of an asset's base unit. */
const fewestDecimals = 2

/** Whether two amounts are equal to six digits: a service may show an amount as a floating-point number. */
const isNear = (shown: BigDecimal.BigDecimal, wanted: BigDecimal.BigDecimal): boolean => {
  const distance = BigDecimal.abs(BigDecimal.subtract(shown, wanted))
  return BigDecimal.isLessThanOrEqualTo(distance, BigDecimal.multiply(BigDecimal.abs(wanted), BigDecimal.make(5n, 6)))
}

/** Whether an amount is another one that was cut or rounded to its decimals. */
const isRounded = (shown: BigDecimal.BigDecimal, wanted: BigDecimal.BigDecimal): boolean =>
  (["to-zero", "half-from-zero"] as const).some((mode) =>
    BigDecimal.equals(shown, BigDecimal.round(wanted, { scale: Math.max(shown.scale, 0), mode }))
  )

/** The power of ten of the first digit. */
const magnitude = ({ scale, value }: BigDecimal.BigDecimal): number => value.toString().length - scale

/** Whether an amount is another one counted in base units: a whole number, the other times a power of ten. */
const isInBaseUnits = (shown: BigDecimal.BigDecimal, wanted: BigDecimal.BigDecimal): boolean => {
  const { scale, value } = BigDecimal.normalize(shown)
  const shift = magnitude(shown) - magnitude(wanted)
  return scale <= 0 && shift >= fewestDecimals && isNear(BigDecimal.make(value, scale + shift), wanted)
}

/** Whether the point in an amount separates thousands: `1.250` for 1250, as in German. */
const isGrouped = ({ scale, value }: BigDecimal.BigDecimal, wanted: BigDecimal.BigDecimal): boolean =>
  scale === 3 && BigDecimal.equals(BigDecimal.make(value, 0), wanted)

const isLike = (shown: BigDecimal.BigDecimal, wanted: BigDecimal.BigDecimal): boolean =>
  [isNear, isRounded, isInBaseUnits, isGrouped].some((is) => is(shown, wanted))

/** Names under which services show a fee. */
const feeName = /charge|commission|cost|fee|gas/i

/** At most this many values of one transaction are taken for fees. */
const mostFees = 8

const valuesIn = (value: unknown): ReadonlyArray<unknown> =>
  Predicate.isObjectOrArray(value) ? Object.values(value) : [value]

const decode = Schema.decodeUnknownOption(Amount)

/** The fees that a transaction shows, each and together: one value, or several in an object or a list. */
const feesOf = ({ extra, fee }: Pick<Transaction, "extra" | "fee">): ReadonlyArray<BigDecimal.BigDecimal> => {
  const named = Object.entries(extra).filter(([name]) => feeName.test(name))
  const values = named.flatMap(([, value]) => valuesIn(value)).flatMap(valuesIn)
  const fees = [fee, ...values.map((value) => Option.getOrUndefined(decode(value)))]
    .filter(Predicate.isNotUndefined)
    .slice(0, mostFees)
    .map(BigDecimal.abs)
  return fees.length > 1 ? [...fees, BigDecimal.sumAll(fees)] : fees
}

/**
 * How the amount of a transaction compares with the one that was sent: the same; what a service may have made of it;
 * another one; or none. An outgoing amount may be negative, without or with its fee, in the asset's base unit, cut,
 * rounded, or not yet known.
 */
export const compare = (
  wanted: BigDecimal.BigDecimal,
  shown: Pick<Transaction, "amount" | "extra" | "fee">
): "agrees" | "resembles" | "contradicts" | "silent" => {
  const { amount } = shown
  if (amount === undefined) return "silent"
  if (BigDecimal.equals(wanted, amount)) return "agrees"
  const size = BigDecimal.abs(amount)
  if (BigDecimal.isZero(size) || isLike(size, wanted)) return "resembles"
  // A fee may be in the unit of either amount.
  const isWithFee = feesOf(shown).some((fee) =>
    [BigDecimal.sum, BigDecimal.subtract].some(
      (apply) => isLike(size, apply(wanted, fee)) || isLike(apply(size, fee), wanted)
    )
  )
  return isWithFee ? "resembles" : "contradicts"
}
