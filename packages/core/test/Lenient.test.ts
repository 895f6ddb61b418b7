import * as Polling from "@effect-custody/core/Polling"
import { assert, describe, it } from "@effect/vitest"
import { Amount, Id, Lenient, OpenEnum } from "@effect-custody/core"
import { Result, Schema } from "effect"

class Report extends Lenient.Opaque<Report>()(
  { id: Id.TransactionId },
  { total: Amount.Amount, colour: OpenEnum("RED", "GREEN"), count: Schema.Int }
) {}

const decode = Schema.decodeUnknownResult(Report)
const encode = Schema.encodeUnknownSync(Report)
const decodeJson = Schema.decodeUnknownSync(Schema.toCodecJson(Report))
const encodeJson = Schema.encodeSync(Schema.toCodecJson(Report))

describe("Lenient.Opaque", () => {
  it("Lenient.Opaque refuses an answer only because of a required field", () => {
    for (const wire of [{}, { id: null }, { id: "" }, [{ id: "1" }]]) assert.isTrue(Result.isFailure(decode(wire)))
    assert.isTrue(Result.isSuccess(decode({ id: "1" })))
  })

  it("Lenient.Opaque leaves out an optional field that is null or of another type", () => {
    assert.deepStrictEqual<unknown>(
      decode({ id: "1", total: null, colour: 7, count: "many" }),
      Result.succeed({ id: "1", extra: {} })
    )
  })

  it("Lenient.Opaque keeps every other field unchanged under extra", () => {
    const extra = { a: { b: [1, null] }, constructor: 2, "": false, snake_case: "x", extra: { id: 3 } }
    assert.deepStrictEqual<unknown>(decode({ id: "1", ...extra }), Result.succeed({ id: "1", extra }))
  })

  it("Lenient.Opaque keeps a field named __proto__ as a field", () => {
    const { extra } = Schema.decodeUnknownSync(Report)(JSON.parse('{ "id": "1", "__proto__": { "polluted": true } }'))
    assert.deepStrictEqual(Object.keys(extra), ["__proto__"])
    assert.strictEqual(Object.getPrototypeOf(extra), Object.prototype)
    assert.isUndefined(extra["polluted"])
  })

  it("Lenient.Opaque encodes a decoded record: amounts as strings, and extra unchanged beside the fields", () => {
    const wire = { id: 7, total: 12.5, colour: "BLUE", count: 3, a: { b: [1, null] } }
    assert.deepStrictEqual<unknown>(encodeJson(decodeJson(wire)), {
      id: "7",
      total: "12.5",
      colour: "BLUE",
      count: 3,
      a: { b: [1, null] }
    })
  })

  it("Lenient.Opaque encodes a record without extra, and prefers a named field to the same name in extra", () => {
    assert.deepStrictEqual<unknown>(encode({ id: "1" }), { id: "1" })
    assert.deepStrictEqual<unknown>(encode({ id: "1", extra: { id: "2", colour: "RED" } }), { id: "1", colour: "RED" })
  })
})

describe("Id", () => {
  it("an Id decodes a string that is not empty, or a number", () => {
    const decodeId = Schema.decodeUnknownResult(Id.WalletId)
    for (const wire of ["w-1", 17, 9_007_199_254_740_994]) {
      assert.deepStrictEqual<unknown>(decodeId(wire), Result.succeed(String(wire)))
    }
    for (const wire of ["", null, undefined, true, {}, [], Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.isTrue(Result.isFailure(decodeId(wire)), JSON.stringify(wire))
    }
  })

  it("Id.named encodes only a string that is not empty", () => {
    const encode = Schema.encodeUnknownResult(Id.named("WalletId"))
    assert.deepStrictEqual<unknown>(encode("w-1"), Result.succeed("w-1"))
    assert.isTrue(Result.isFailure(encode("")))
    assert.isTrue(Result.isFailure(encode(17)))
  })
})

describe("Status.isFinal", () => {
  it("Status.isFinal accepts the final statuses in any letter case, and no other word", () => {
    for (const status of ["COMPLETED", "Rejected", "error"]) assert.isTrue(Polling.isFinal(status), status)
    for (const status of ["PENDING", "BROADCASTING", "FROZEN", "COMPLETED_IN_PART", ""]) {
      assert.isFalse(Polling.isFinal(status), status)
    }
  })
})

describe("OpenEnum", () => {
  it("an open enumeration keeps any string, and knows its own identifiers", () => {
    const colour = OpenEnum("RED", "GREEN")
    assert.deepStrictEqual(colour.known, ["RED", "GREEN"])
    assert.strictEqual(Schema.decodeSync(colour)("BLUE"), "BLUE")
    assert.isTrue(colour.isKnown("RED"))
    for (const other of ["red", "BLUE", undefined, 7]) assert.isFalse(colour.isKnown(other))
  })
})
