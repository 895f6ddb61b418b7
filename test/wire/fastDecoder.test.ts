/** The decoders without Schema's interpreter give what the codecs give, for whatever an answer holds. */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import * as Operation from "../../packages/core/src/endpoint/Operation.ts"
import * as Amount from "../../packages/core/src/values/Amount.ts"
import * as FastDecoder from "../../packages/core/src/values/fastDecoder.ts"
import { Timestamp } from "../../packages/core/src/values/Timestamp.ts"
import { random, type Source } from "../support/random.ts"
import { operations } from "./vectors/run.ts"

const folder = Path.resolve(import.meta.dirname, "vectors")

interface Vector {
  readonly operation: string
  readonly response?: { readonly status: number; readonly json?: unknown }
}

/** The record of a payload, or the rows of a list. */
const rowsOf = (data: unknown): unknown =>
  Predicate.hasProperty(data, "items") && Array.isArray(data.items) ? data.items : data

/** The record, or the rows, of every success of the corpus, by its operation. */
const answers = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => (JSON.parse(readFileSync(Path.join(folder, file), "utf8")) as { vectors: Array<Vector> }).vectors)
  .flatMap(({ operation, response }) =>
    response !== undefined && response.status < 300 && Predicate.hasProperty(response.json, "data")
      ? [{ operation, data: rowsOf(response.json.data) }]
      : []
  )

const odd: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  1.5,
  12345678901234,
  "",
  "12.50",
  "1e-2000",
  "9".repeat(1_100),
  "2026-11-20T09:30:00.000Z",
  [],
  {},
  [null],
  { id: "" },
  { extra: {} },
  [{ id: "x" }, { id: null }]
]

const names = ["__proto__", "constructor", "extra", "id", "status", "amount", ""]

/** The same JSON with something else in some of its places. */
const altered = (source: Source, value: unknown): unknown => {
  if (source.chance(0.08)) return source.pick(odd)
  if (Array.isArray(value)) return value.map((item) => altered(source, item))
  if (!Predicate.isReadonlyObject(value)) return value
  const entries = Object.entries(value).filter(() => !source.chance(0.05))
  const more = source.chance(0.15) ? [[source.pick(names), source.pick(odd)] as const] : []
  return Object.fromEntries([...entries.map(([name, inner]) => [name, altered(source, inner)] as const), ...more])
}

/** Without the fields of another type, which only the fast decoder keeps under `extra`. */
const alike = (value: unknown, byCodec: unknown): unknown => {
  if (Array.isArray(value) && Array.isArray(byCodec)) return value.map((item, at) => alike(item, byCodec[at]))
  const expected = Object(byCodec)
  if (expected.extra === undefined) return value
  const { extra, ...fields } = Object(value)
  const named = Object.entries(extra).filter(([name]) => Object.hasOwn(expected.extra, name))
  const record = Object.entries(fields).map(([name, field]) => [name, alike(field, expected[name])])
  return { ...Object.fromEntries(record), extra: Object.fromEntries(named) }
}

it("a fast decoder returns what the codec returns, for each answer of the corpus and 15 alterations of it", () => {
  let successes = 0
  for (const [at, { data, operation }] of answers.entries()) {
    const declaration = operations.get(operation)!
    const success = Schema.toCodecJson(Schema.Struct({ data: Declaration.data(declaration) })) as Schema.Top
    const read = Operation.makeOpen(declaration)
    const decode = Schema.decodeUnknownResult(success as Schema.Codec<{ readonly data: unknown }, unknown>)
    const source = random(at + 1)
    for (let round = 0; round <= 15; round++) {
      const sent = { data: round === 0 ? data : altered(source, data) }
      const [one, other] = [read(sent), decode(sent)]
      const shown = `${operation}: ${JSON.stringify(sent)}`
      assert.strictEqual(one._tag, other._tag, shown)
      if (Result.isFailure(one) || Result.isFailure(other)) continue
      assert.deepStrictEqual(alike(one.success["data"], other.success.data), other.success.data, shown)
      successes++
    }
  }
  assert.isAbove(successes, 1_000)
})

const Row = Schema.Struct({
  id: Schema.String,
  amount: Schema.optionalKey(Amount.Amount),
  extra: Schema.optional(Schema.Struct({ id: Schema.NullOr(Schema.String), status: Schema.Struct({}) })),
  status: Schema.Literals(["a", "b"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("a" as const))),
  created: Schema.optionalKey(Timestamp)
})

it("a fast decoder of a struct returns what the codec returns", () => {
  const Rows = Schema.Union([Schema.Array(Row), Schema.Array(Schema.Unknown)])
  const [fast, decode] = [FastDecoder.make(Rows), Schema.decodeUnknownResult(Rows)]
  const source = random(7)
  const row = {
    id: "x",
    amount: "1.50",
    extra: { id: null, status: {} },
    status: "b",
    created: "2026-11-20T09:30:00.000Z",
    more: 1
  }
  let successes = 0
  for (let round = 0; round < 2_000; round++) {
    const sent = round === 0 ? [row] : altered(source, [row, row])
    const [one, other] = [fast(sent), decode(sent)]
    assert.deepStrictEqual(
      one,
      Result.getOrElse(other, () => FastDecoder.none),
      JSON.stringify(sent)
    )
    if (one !== FastDecoder.none) successes++
  }
  assert.isAbove(successes, 100)
})

it("the codecs of a record take amounts and times that are read already, within their bounds", () => {
  const read = FastDecoder.make(Schema.Struct({ amount: Amount.Amount, created: Timestamp }))
  const [amount, created] = [Amount.of("1.50"), DateTime.makeUnsafe("2026-11-20T09:30:00.000Z")]
  assert.deepStrictEqual(read({ amount, created }), { amount, created })
  assert.strictEqual(read({ amount: BigDecimal.make(1n, -1_000_000), created }), FastDecoder.none)
  assert.strictEqual(read({ amount, created: DateTime.makeUnsafe(1.8e15) }), FastDecoder.none)
})
