/** Which literals the compiler takes for amounts. */
import { Amount } from "@effect-custody/core"

export const taken = [
  Amount.of("0"),
  Amount.of("-0.05"),
  Amount.of("12.50"),
  Amount.of("100"),
  Amount.of("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
  Amount.of("0.000000000000000001")
]

export const refused = [
  // @ts-expect-error: a decimal comma
  () => Amount.of("12,50"),
  // @ts-expect-error: nothing
  () => Amount.of(""),
  // @ts-expect-error: a sign
  () => Amount.of("+1"),
  // @ts-expect-error: no digit after the point
  () => Amount.of("5."),
  // @ts-expect-error: a leading zero
  () => Amount.of("007"),
  // @ts-expect-error: two points
  () => Amount.of("1.2.3"),
  // @ts-expect-error: text that the compiler does not know
  (text: string) => Amount.of(text),
  // @ts-expect-error: a number
  () => Amount.of(12.5)
]
