import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { parse } from "../src/json/ExactJson.ts"

const integer = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

/** By integer arithmetic, unlike the module: the value times 10^1000. */
const unscaled = (source: string): bigint => {
  const [mantissa = "", exponent = "0"] = source.split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return BigInt(whole + fraction) * 10n ** BigInt(1_000 + Number(exponent) - fraction.length)
}

describe("exactJson", () => {
  /** Those that a double holds. */
  const held = `0 -0 0.1 12.50 1E+3 1.0000000000000000000000 100000000000000000000000 9007199254740991 9007199254740992
    0.1234567890123456 1.7976931348623157e308 5e-324 0e999999999999999999999 ${"1".padEnd(400, "0")}e-399`
  /** Those that it does not hold: they arrive as their text. */
  const lost = `9007199254740993 -9007199254740993 12345678901234567.50 0.10000000000000000001 1.00000000000000000000001
    1e400 -1e-400 3e-324 1.7976931348623159e308 1${"0".repeat(309)} 0.${"0".repeat(330)}1`

  it.each([
    ...held.split(/\s+/).map((source) => [source, Number(source)] as const),
    ...lost.split(/\s+/).map((source) => [source, source] as const)
  ])("parse returns %s exactly, wherever it stands", (source, value) => {
    assert.deepStrictEqual(parse(` \t\r\n${source} `), value)
    assert.deepStrictEqual(parse(`[${source},${source}\n,\t${source}]`), [value, value, value])
    assert.deepStrictEqual(parse(`{"a":{"b":[1,${source}]},"c": ${source}}`), { a: { b: [1, value] }, c: value })
  })

  it.prop(
    "parse agrees with exact arithmetic on 3,000 random numbers of up to 78 digits",
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
    "parse returns what JSON.parse returns if every number fits a double",
    [Schema.Json, Schema.String],
    ([value, key]) => {
      // The last number makes sure that the slow path is taken.
      const text = JSON.stringify({ value, [key]: key, exact: 1e300 })
      assert.deepStrictEqual(parse(text), JSON.parse(text))
    },
    { arbitrary: { runs: 1_000, seed: "as JSON.parse" } }
  )

  it("parse keeps strings that look like numbers, and the last of repeated keys", () => {
    const value = { a: "12345678901234567890", b: ":12345678901234567890", c: "[1e400,1e400]", d: '\\":1e400' }
    assert.deepStrictEqual(parse(JSON.stringify(value)), value)
    assert.deepStrictEqual(parse('{"1e400":1e400,"a":1e400,"a":2}'), { "1e400": "1e400", a: 2 })
  })

  it.each(["1", "1e400"])("parse makes __proto__ an ordinary key, beside the number %s", (number) => {
    const value = parse(`{"__proto__":{"polluted":${number}},"constructor":{"prototype":{"polluted":${number}}}}`)
    assert.isTrue(Object.hasOwn(Object(value), "__proto__"))
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    assert.notProperty({}, "polluted")
  })

  const long = "12345678901234567890"
  const broken = ["", "{", "[1e400", "[1e400,]", `{${long}:1}`, `{"a":0${long}}`, `{"a":+${long}}`, `{"a":${long}.}`]
  const unplaced = [
    '{"a":1e}',
    '{"a":NaN}',
    "\uFEFF1e400",
    `{"a":1,${long}:2}`,
    `[1 ${long}]`,
    `[{}${long}]`,
    `[,${long}`
  ]
  it.each([...broken, ...unplaced])("parse throws a SyntaxError on %j", (text) => {
    assert.throws(() => parse(text), SyntaxError)
  })

  it("parse refuses a text that is too deep for the stack or too large for memory, before it builds any of it", () => {
    const nested = (levels: number, inner: string) => "[".repeat(levels) + inner + "]".repeat(levels)
    const items = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`
    const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(",")}}`
    for (const inner of ["1", "1e400", '"]"', String.raw`"\\\"[["`]) {
      assert.isArray(parse(nested(512, inner)))
      assert.throws(() => parse(nested(513, inner)), SyntaxError, "nested deeper than 512 levels")
    }
    assert.throws(() => parse(nested(5_000_000, "")), SyntaxError, "nested deeper than 512 levels")
    assert.lengthOf(parse(items(199_999, "1e3")) as ReadonlyArray<unknown>, 199_999)
    assert.throws(() => parse(items(200_001, "1e3")), SyntaxError, "more than 200000 values")
    assert.throws(() => parse(items(3_000_000, "{}")), SyntaxError, "more than 200000 values")
    assert.lengthOf(Object.keys(parse(fields(100_000)) as object), 100_000)
    assert.throws(() => parse(fields(100_001)), SyntaxError, "more than 100000 keys")
    assert.lengthOf(parse(`"${":,[{".repeat(1_000_000)}"`) as string, 4_000_000)
  })

  it("parse takes linear time on a number of three million digits", () => {
    const source = `1${"0".repeat(3_000_000)}1`
    assert.isTrue(parse(source) === source)
  })
})
