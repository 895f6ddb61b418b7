import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { parse } from "../../../packages/core/src/internal/exactJson.ts"

const integer = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

describe("exactJson", () => {
  const numbers: ReadonlyArray<readonly [source: string, value: unknown]> = [
    // What a double holds stays a number.
    ["0", 0],
    ["-0", -0],
    ["1", 1],
    ["0.1", 0.1],
    ["12.50", 12.5],
    ["1e3", 1_000],
    ["1E+3", 1_000],
    ["1.0000000000000000000000", 1],
    ["100000000000000000000000", 1e23],
    ["0.000000000000000000000000100", 1e-25],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", 9_007_199_254_740_992],
    ["0.1234567890123456", 0.1234567890123456],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["5e-324", Number.MIN_VALUE],
    ["0e999999999999999999999", 0],
    ["0.0000000000000000000000", 0],
    [`${"1".padEnd(400, "0")}e-399`, 1],
    // What it does not hold is its text.
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["12345678901234567890", "12345678901234567890"],
    ["12345678901234567.50", "12345678901234567.50"],
    ["0.10000000000000000001", "0.10000000000000000001"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["1.00000000000000000000001", "1.00000000000000000000001"],
    ["1e400", "1e400"],
    ["-1e400", "-1e400"],
    ["1e-400", "1e-400"],
    ["-1e-400", "-1e-400"],
    ["3e-324", "3e-324"],
    ["1.7976931348623159e308", "1.7976931348623159e308"],
    [`1${"0".repeat(309)}`, `1${"0".repeat(309)}`],
    [`0.${"0".repeat(330)}1`, `0.${"0".repeat(330)}1`]
  ]
  for (const [source, value] of numbers) {
    const name = source.length > 40 ? `${source.slice(0, 20)}… (${source.length} characters)` : source
    it(`delivers ${name} as a ${typeof value}, wherever it stands`, () => {
      assert.deepStrictEqual(parse(source), value)
      assert.deepStrictEqual(parse(` \t\r\n${source} `), value)
      assert.deepStrictEqual(parse(`[${source},${source}\n,\t${source}]`), [value, value, value])
      assert.deepStrictEqual(parse(`{"a":{"b":[1,${source}]},"c": ${source}}`), { a: { b: [1, value] }, c: value })
    })
  }

  it.prop(
    "agrees with exact arithmetic on 3,000 random numbers of up to 78 digits",
    {
      negative: Schema.Boolean,
      digits: Arbitrary.array(integer(0, 9), { minLength: 1, maxLength: 78 }),
      point: integer(0, 78),
      exponent: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -400, maximum: 400 })))
    },
    ({ digits, exponent, negative, point }) => {
      const all = digits.join("")
      const whole = all.slice(0, Math.max(1, point)).replace(/^0+(?=\d)/, "")
      const fraction = all.slice(Math.max(1, point))
      const source = `${negative ? "-" : ""}${whole}${fraction && `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`
      const double = Number(source)
      const holds = Number.isFinite(double) && unscaled(String(double)) === unscaled(source)
      assert.deepStrictEqual(parse(`{"amount":${source}}`), { amount: holds ? double : source })
    },
    { arbitrary: { runs: 3_000, size: 78, seed: "exact JSON" } }
  )

  it.prop(
    "gives any JSON text that a double holds as JSON.parse gives it",
    [Schema.Json, Schema.String],
    ([value, key]) => {
      // The last number makes sure that the slow path is taken.
      const text = JSON.stringify({ value, [key]: key, exact: 1e300 })
      assert.deepStrictEqual(parse(text), JSON.parse(text))
    },
    { arbitrary: { runs: 1_000, seed: "as JSON.parse" } }
  )

  it("leaves strings alone that look like numbers", () => {
    const value = { a: "12345678901234567890", b: ":12345678901234567890", c: "[1e400,1e400]", d: '\\":1e400' }
    assert.deepStrictEqual(parse(JSON.stringify(value)), value)
    assert.deepStrictEqual(parse('{"12345678901234567890":1,"1e400":1e400}'), {
      "12345678901234567890": 1,
      "1e400": "1e400"
    })
  })

  it("keeps the last of repeated keys, with its own text", () => {
    assert.deepStrictEqual(parse('{"a":1e400,"a":12345678901234567890}'), { a: "12345678901234567890" })
    assert.deepStrictEqual(parse('{"a":1e400,"a":2}'), { a: 2 })
  })

  for (const number of ["1", "1e400"]) {
    it(`makes __proto__ an ordinary key, beside ${number}`, () => {
      const value = parse(`{"__proto__":{"polluted":${number}},"constructor":{"prototype":{"polluted":${number}}}}`)
      assert.isTrue(Object.hasOwn(Object(value), "__proto__"))
      assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
      assert.notProperty(value, "polluted")
      assert.notProperty({}, "polluted")
    })
  }

  for (const text of [
    "",
    " ",
    "{",
    "[1e400",
    "[1e400,]",
    "{12345678901234567890:1}",
    '{"a":012345678901234567890}',
    '{"a":+12345678901234567890}',
    '{"a":12345678901234567890.}',
    '{"a":.12345678901234567890}',
    '{"a":1e}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":0x12345678901234567890}',
    '{"a":12345678901234567890n}',
    "'1e400'",
    "\uFEFF1e400"
  ]) {
    it(`throws a SyntaxError on ${JSON.stringify(text)}`, () => {
      assert.throws(() => parse(text), SyntaxError)
    })
  }

  it("refuses what would be too deep for the stack or too large for memory, before any of it is built", () => {
    const nested = (levels: number, inner: string) => "[".repeat(levels) + inner + "]".repeat(levels)
    const items = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`
    const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(",")}}`
    for (const number of ["1", "1e400", '"]"', String.raw`"\\\"[["`]) {
      assert.isArray(parse(nested(512, number)))
      assert.throws(() => parse(nested(513, number)), SyntaxError, "nested deeper than 512 levels")
    }
    assert.throws(() => parse(nested(5_000_000, "")), SyntaxError, "nested deeper than 512 levels")
    assert.throws(() => parse('{"a":'.repeat(5_000)), SyntaxError, "nested deeper than 512 levels")
    assert.lengthOf(parse(items(199_999, "1e3")) as ReadonlyArray<unknown>, 199_999)
    assert.throws(() => parse(items(200_001, "1e3")), SyntaxError, "more than 200000 values")
    assert.throws(() => parse(items(3_000_000, "{}")), SyntaxError, "more than 200000 values")
    assert.lengthOf(Object.keys(parse(fields(100_000)) as object), 100_000)
    assert.throws(() => parse(fields(100_001)), SyntaxError, "more than 100000 keys")
    assert.lengthOf(parse(`"${":,[{".repeat(1_000_000)}"`) as string, 4_000_000)
  })

  it("quotes no number where no value may stand", () => {
    const number = "12345678901234567890"
    for (const text of [
      `{"a":1,${number}:2}`,
      `{${number}}`,
      `[1 ${number}]`,
      `["a"${number}]`,
      `[${number} ${number}]`,
      `[{}${number}]`,
      `${number}${number}-`,
      `{"a":${number}:${number}}`,
      `[,${number}`
    ]) {
      assert.throws(() => parse(text), SyntaxError, undefined, text)
    }
  })

  it("takes no more than linear time on a number of three million digits", () => {
    const source = `1${"0".repeat(3_000_000)}1`
    assert.isTrue(parse(source) === source)
  })
})

/** By integer arithmetic, unlike the module: the value times 10^1000. */
function unscaled(source: string): bigint {
  const [mantissa = "", exponent = "0"] = source.split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return BigInt(whole + fraction) * 10n ** BigInt(1_000 + Number(exponent) - fraction.length)
}
