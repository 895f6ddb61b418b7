/** Exact sums of money, of bounded size. */
import * as Amount from "@effect-custody/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** A sum. Its text in a snapshot keeps the number of decimals, including trailing zeros. */
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

/** Converts a sum to an amount for answers. */
const toAmount = (sum: BigDecimal.BigDecimal): Amount.Amount => Amount.fromBigDecimalUnsafe(sum)

/** Formats a sum as text, with all its decimals. */
export const formatSum = (sum: BigDecimal.BigDecimal): string => Amount.format(toAmount(sum))

/** The reason why a sum is out of range (too large, or too many decimals). `undefined` if the sum is in range. */
export const excess = (sum: BigDecimal.BigDecimal): string | undefined =>
  sum.scale > maxDigits || BigDecimal.isGreaterThanOrEqualTo(sum, BigDecimal.fromBigInt(limit))
    ? `must have at most ${maxDigits} digits on either side of the point`
    : undefined

/** The quantity that a sum buys at a price, rounded up to `decimals` so that the seller never receives too little. */
export const quantityBought = (
  sum: BigDecimal.BigDecimal,
  price: BigDecimal.BigDecimal,
  decimals: number
): BigDecimal.BigDecimal => {
  const power = decimals + price.scale - sum.scale
  const dividend = sum.value * 10n ** BigInt(Math.max(power, 0))
  const divisor = price.value * 10n ** BigInt(Math.max(-power, 0))
  return BigDecimal.normalize(BigDecimal.make((dividend + divisor - 1n) / divisor, decimals))
}
