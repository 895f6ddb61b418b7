import * as Amount from "@effect-custody/core/Amount"
import { assert, describe, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownEffect(Amount.Amount)
const encode = Schema.encodeEffect(Amount.Amount)

describe("Amount", () => {
  const accepted: ReadonlyArray<readonly [input: string | number, plain: string]> = [
    ["-0", "0"],
    ["-0.00", "0.00"],
    ["-12.50", "-12.50"],
    ["-0.05", "-0.05"],
    ["1E+2", "100"],
    ["1.50e1", "15.0"],
    ["0e5", "0"],
    ["-1.5e-7", "-0.00000015"],
    [-0, "0"],
    [0.1, "0.1"],
    [1e21, "1000000000000000000000"],
    [1e-7, "0.0000001"],
    [Number.MAX_VALUE, `17976931348623157${"0".repeat(292)}`],
    [Number.MIN_VALUE, `0.${"0".repeat(323)}5`],
    [`-${"9".repeat(1_000)}`, `-${"9".repeat(1_000)}`],
    [`0.${"9".repeat(999)}`, `0.${"9".repeat(999)}`],
    ["1e999", `1${"0".repeat(999)}`],
    ["1e-999", `0.${"0".repeat(998)}1`],
    ["1e0000000000000000001", "10"]
  ]
  it.effect("Amount decodes every decimal of up to 1,000 digits, and encodes it without an exponent", () =>
    Effect.gen(function* () {
      for (const [input, plain] of accepted) assert.strictEqual(yield* encode(yield* decode(input)), plain)
    })
  )

  const misspelt = "+1 - . .5 5. 007 -01 1_000 1,5 1.2.3 1e e1 1e1.5 1e+-1 0x10 1n NaN Infinity ١٢ １２"
    .split(" ")
    .concat("", " 1", "1 ", "1\n")
  const tooLong = [
    "9".repeat(1_001),
    `0.${"9".repeat(1_000)}`,
    "9".repeat(10_000_000),
    "1e1000",
    "1e-1000",
    "1e1000000000",
    "0e1000000000",
    `1e${"0".repeat(2_000)}1`
  ]
  const refused: ReadonlyArray<unknown> = [
    ...misspelt,
    ...tooLong,
    NaN,
    Infinity,
    1n,
    true,
    null,
    undefined,
    {},
    ["1"],
    { value: "1", scale: 0 }
  ]
  it.effect("Amount refuses any other text or value with a short message", () =>
    Effect.gen(function* () {
      for (const input of refused) {
        const failure = yield* Effect.flip(decode(input))
        assert.isBelow(failure.message.length, 200)
        if (typeof input === "string") assert.isTrue(Option.isNone(Amount.fromString(input)))
      }
    })
  )

  it("Amount.fromStringUnsafe throws an error that says what was wrong and what to write", () => {
    const message = 'Not an amount: "12,50". Write a decimal such as "12.50"'
    assert.throws(() => Amount.fromStringUnsafe("12,50"), Error, message)
    assert.throws(() => Amount.fromStringUnsafe("9".repeat(5_000)), Error, `"${"9".repeat(40)}…"`)
  })

  it.effect(
    "the JSON codec of an HTTP API encodes an Amount as a string, and Amount.Schema accepts only a string",
    () =>
      Effect.gen(function* () {
        const Balance = Schema.toCodecJson(Schema.Struct({ available: Amount.Amount }))
        const balance = yield* Schema.decodeEffect(Balance)({ available: 12.5 })
        assert.deepStrictEqual(yield* Schema.encodeEffect(Balance)(balance), { available: "12.5" })
        const Order = Schema.toCodecJson(Schema.Struct({ amount: Amount.Schema.pipe(Schema.check(Amount.isPositive)) }))
        const order = yield* Schema.decodeEffect(Order)({ amount: "12.50" })
        assert.deepStrictEqual(yield* Schema.encodeEffect(Order)(order), { amount: "12.50" })
        for (const amount of [12.5, "0", "-1", "12,50"]) {
          assert.strictEqual((yield* Effect.flip(Schema.decodeEffect(Order)({ amount })))._tag, "SchemaError")
        }
      })
  )

  it("an Amount works with BigDecimal's arithmetic and comparison", () => {
    const price = Amount.of("12.50")
    const total: Amount.Amount = Amount.sum(price, Amount.of("0.050"))
    assert.strictEqual(Amount.format(total), "12.550")
    assert.isTrue(BigDecimal.isGreaterThan(total, price))
  })

  it.effect("a computed decimal of more than 1,000 digits is refused before it is written out", () =>
    Effect.gen(function* () {
      for (const [digits, scale] of [
        [1n, -1_000_000_000],
        [1n, 1_000_000_000],
        [0n, Number.MAX_SAFE_INTEGER],
        [-(10n ** 1_000n), 10]
      ] as const) {
        const huge = BigDecimal.make(digits, scale)
        assert.throws(() => Amount.fromBigDecimalUnsafe(huge), Error, "more than 1000 digits")
        const failure = yield* Effect.flip(Schema.encodeUnknownEffect(Amount.Positive)(huge, { errors: "all" }))
        assert.include(failure.message, "at most 1000 digits")
      }
    })
  )

  it.effect.prop(
    "Amount and Amount.Positive generate values within their bounds",
    [Amount.Amount, Amount.Positive],
    ([amount, positive]) =>
      Effect.gen(function* () {
        assert.isTrue(BigDecimal.equals(yield* decode(yield* encode(amount)), amount))
        assert.isTrue(BigDecimal.isPositive(positive))
      }),
    { arbitrary: { runs: 1_000, seed: "generated amounts" } }
  )

  it.effect.each(["0", "-0", "0.00", "0e5", "-0.01"])(
    "Amount.Positive refuses %s when it decodes and when it encodes",
    (text) =>
      Effect.gen(function* () {
        const inwards = yield* Effect.flip(Schema.decodeEffect(Amount.Positive)(text))
        const outwards = yield* Effect.flip(Schema.encodeEffect(Amount.Positive)(Amount.fromStringUnsafe(text)))
        for (const { message } of [inwards, outwards]) {
          assert.strictEqual(message, "An amount to move must be greater than 0")
        }
      })
  )
})
