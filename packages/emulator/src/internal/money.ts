/** Sums of money: exact, and of a size that can be computed with whatever anybody sends. */
import * as Amount from "@effect-custody/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Answer from "./answer.ts"

/** A sum as it is written down: with as many decimals as it has, be they zeros. */
export const Sum = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?\d{1,1000}e-?\d{1,5}$/)),
  Schema.decodeTo(
    Schema.BigDecimal,
    SchemaTransformation.transform({
      decode: (text) => {
        const [value = "", exponent = ""] = text.split("e")
        return BigDecimal.make(BigInt(value), -Number(exponent))
      },
      encode: ({ scale, value }) => `${value}e${-scale}`
    })
  )
)

export const zero: BigDecimal.BigDecimal = BigDecimal.fromBigInt(0n)

const maxDigits = 100
const limit = 10n ** BigInt(maxDigits)

/** A sum as answers tell it. */
export const amountOf = (sum: BigDecimal.BigDecimal): Amount.Amount => Amount.fromBigDecimal(sum)

/** A sum as text, with as many decimals as it has. */
export const textOf = (sum: BigDecimal.BigDecimal): string => Amount.format(amountOf(sum))

/** What is wrong with a sum that is too large or too fine for any ledger. */
export const excess = (sum: BigDecimal.BigDecimal): string | undefined =>
  sum.scale > maxDigits || BigDecimal.isGreaterThanOrEqualTo(sum, BigDecimal.fromBigInt(limit))
    ? `must have at most ${maxDigits} digits on either side of the point`
    : undefined

/** That a field holds a sum that can be moved. */
export const movable = (field: string, sum: BigDecimal.BigDecimal): Result.Result<void, Answer.Refused> => {
  const wrong = excess(sum)
  return wrong === undefined
    ? Result.succeed(undefined)
    : Result.fail(Answer.invalid(Answer.validationCode, { [field]: [wrong] }))
}

/** How much of something with a price a sum buys, with so many decimals, rounded up: the seller is never short. */
export const bought = (
  sum: BigDecimal.BigDecimal,
  price: BigDecimal.BigDecimal,
  decimals: number
): BigDecimal.BigDecimal => {
  const power = decimals + price.scale - sum.scale
  const dividend = sum.value * 10n ** BigInt(Math.max(power, 0))
  const divisor = price.value * 10n ** BigInt(Math.max(-power, 0))
  return BigDecimal.normalize(BigDecimal.make((dividend + divisor - 1n) / divisor, decimals))
}
