/** Formats of services: what they read and write, and what they refuse. */
import { Format } from "@effect-custody/contract"
import { Amount } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const states = Format.Words(Transactions.Status, {
  PENDING: ["queued", "signing"],
  BROADCASTING: "sent",
  COMPLETED: "done",
  REJECTED: [],
  ERROR: "failed"
})

describe("words", () => {
  const read = (word: string) => Result.getOrUndefined(Schema.decodeResult(states.schema)(word))

  it("are read, all of them, and written if there is one", () => {
    assert.deepStrictEqual(["queued", "signing", "done"].map(read), ["PENDING", "PENDING", "COMPLETED"])
    assert.strictEqual(states.write("COMPLETED"), "done")
    assert.strictEqual(states.read("done"), "COMPLETED")
  })

  it("refuse a value with several words, which would hide rows, and one with none", () => {
    assert.throws(() => states.write("PENDING"), /several words for PENDING/)
    assert.throws(() => states.write("REJECTED"), /not a value that the adapter lists/)
    assert.throws(() => states.write("OTHER"), /not a value/)
  })

  it("read an unlisted word as it is, unless it is spelled like a value of the SDK", () => {
    assert.strictEqual(read("held"), "held")
    assert.isUndefined(read("COMPLETED"))
    assert.throws(() => states.read("COMPLETED"), /one of the SDK's values/)
  })

  it("name every value once", () => {
    assert.throws(() => Format.Words({ a: "x", b: "x" }), /x is not in the table exactly once/)
    assert.throws(
      () => Format.Words(Transactions.Status, { PENDING: "p" } as never),
      /BROADCASTING is not in the table/
    )
  })
})

describe("minor units", () => {
  const units = Format.minorUnits({ usdc: 6, eth: 18, point: 0 }, "string")

  it.prop(
    "come back as the same units",
    [Schema.BigInt.pipe(Schema.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 30n })))],
    ([n]) => {
      for (const asset of ["usdc", "eth"])
        assert.strictEqual(units.write(units.read(String(n), asset), asset), String(n))
    }
  )

  it("are numbers with all of their digits", () => {
    const { write } = Format.minorUnits(18)
    assert.strictEqual(JSON.stringify(write(Amount.of("123456789.000000000000000001"))), "123456789000000000000000001")
    assert.strictEqual(
      JSON.stringify(Format.decimal(Amount.of("0.1000000000000000000001"))),
      "0.1000000000000000000001"
    )
  })

  it("refuse an asset that is not listed, a part of a unit, and what is no whole number", () => {
    assert.throws(() => units.write(Amount.of("1"), "btc"), /no decimal places for the asset btc/)
    assert.throws(() => units.read("1"), /asset that is not named/)
    assert.throws(() => units.write(Amount.of("0.5"), "point"), /more than 0 decimal places/)
    for (const wrong of [1.5, "1e3", "", null, undefined])
      assert.throws(() => units.read(wrong, "usdc"), /whole number/)
  })
})

describe("times", () => {
  const time = DateTime.makeUnsafe("2026-11-27T10:00:00Z")
  const decode = (schema: Schema.Codec<DateTime.Utc, string | number>, value: unknown) =>
    Result.getOrUndefined(Schema.decodeUnknownResult(schema)(value))

  it("are read from numbers and texts", () => {
    const millis = DateTime.toEpochMillis(time)
    for (const value of [millis / 1_000, String(millis / 1_000)])
      assert.deepStrictEqual(decode(Format.Seconds, value), time)
    assert.deepStrictEqual(decode(Format.Milliseconds, millis), time)
    for (const value of ["2026-11-27T10:00:00", "2026-11-27 10:00"])
      assert.deepStrictEqual(decode(Format.LocalUtc, value), time)
  })

  it("are not guessed", () => {
    for (const value of ["", "soon", 1e20, null, "2026-11-27T10:00:00Z"]) {
      assert.isUndefined(decode(Format.Seconds, value))
      assert.isUndefined(decode(Format.Milliseconds, value))
    }
    for (const value of ["2026-11-27T10:00:00Z", "2026-13-27T10:00:00", 17])
      assert.isUndefined(decode(Format.LocalUtc, value))
  })
})
