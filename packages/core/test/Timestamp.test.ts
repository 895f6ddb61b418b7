import { Lenient, Timestamp } from "@effect-custody/core"
import * as FastDecoder from "../src/values/fastDecoder.ts"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

class Row extends Lenient.Opaque<Row>()({}, { at: Timestamp.Timestamp }) {}

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Decodes as the answers of calls are decoded. */
const read = FastDecoder.make(Row)

describe("a time", () => {
  it.each([
    ["2026-11-20T09:30:00.000Z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30:00Z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30Z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20t09:30:00z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30:00.123456Z", "2026-11-20T09:30:00.123Z"],
    ["2026-11-20T11:30:00+02:00", "2026-11-20T09:30:00.000Z"],
    ["2026-11-19T23:59:59-09:30", "2026-11-20T09:29:59.000Z"]
  ])("%s is %s", (text, iso) => {
    const { at, extra } = read({ at: text }) as Row
    assert(at !== undefined && DateTime.isUtc(at))
    assert.strictEqual(DateTime.formatIso(at), iso)
    assert.deepStrictEqual(extra, {})
    assert.deepStrictEqual(Schema.decodeSync(Row)({ at: text }).at, at)
  })

  it.each([
    "2026-11-20T09:30:00",
    "2026-11-20 09:30:00Z",
    "2026-11-20",
    "2026-13-20T09:30:00Z",
    "0000-01-01T00:00:00+01:00",
    "9999-12-31T23:30:00-01:00",
    "20 August, 2025 11:18:53",
    "Fri, 20 Nov 2026 09:30:00 GMT",
    "",
    1_763_629_800
  ])("%s cannot be read: the field is absent, and the value is kept under extra", (at) => {
    assert.deepStrictEqual(read({ at }), { extra: { at } })
    assert.isUndefined(Schema.decodeSync(Row)({ at }).at)
  })

  it.prop(
    "a time in the form of Date.toISOString, even one that no calendar has, is what Date.parse makes of it",
    { year: upTo(9_999), fields: Schema.Tuple([upTo(13), upTo(32), upTo(24), upTo(60), upTo(60), upTo(999)]) },
    ({ fields: [month, day, hour, minute, second, milli], year }) => {
      const two = (value: number) => String(value).padStart(2, "0")
      const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`
      const text = `${date}T${two(hour)}:${two(minute)}:${two(second)}.${String(milli).padStart(3, "0")}Z`
      const millis = Date.parse(text)
      const { at } = read({ at: text }) as Row
      assert.deepStrictEqual(at, Number.isNaN(millis) ? undefined : DateTime.makeUnsafe(millis))
    },
    { arbitrary: { runs: 2_000, seed: "times" } }
  )

  it("a time beyond the year 9999 is not written", () => {
    const encode = Schema.encodeExit(Timestamp.Timestamp)
    assert.isTrue(Exit.isFailure(encode(DateTime.makeUnsafe("+010000-01-01T00:00:00Z"))))
    assert.isTrue(Exit.isSuccess(encode(DateTime.makeUnsafe("9999-12-31T23:59:59.999Z"))))
  })

  it("a time is written in UTC with milliseconds", () => {
    const at = DateTime.makeUnsafe("2026-11-20T11:30:00+02:00")
    assert.deepStrictEqual(Schema.encodeSync(Row)({ at, extra: {} }), { at: "2026-11-20T09:30:00.000Z" })
  })
})
