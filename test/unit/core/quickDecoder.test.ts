/** The decoders without Schema's interpreter give what the codecs give, for whatever an answer holds. */
import type { Contract } from "@effect-custody/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import * as Envelope from "../../../packages/core/src/internal/envelope.ts"
import { partsOf } from "../../../packages/core/src/internal/httpApi.ts"
import * as Quick from "../../../packages/core/src/internal/quickDecoder.ts"
import { random, type Source } from "../../support/random.ts"
import { operations } from "../../wire/vectors/run.ts"

const folder = Path.resolve(import.meta.dirname, "../../wire/vectors")

interface Vector {
  readonly operation: string
  readonly response?: { readonly status: number; readonly json?: unknown }
}

/** Every success of the corpus, by its operation. */
const answers = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => (JSON.parse(readFileSync(Path.join(folder, file), "utf8")) as { vectors: Array<Vector> }).vectors)
  .flatMap(({ operation, response }) =>
    response !== undefined && response.status < 300 && Predicate.isReadonlyObject(response.json)
      ? [{ operation, envelope: response.json }]
      : []
  )

const odd: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  12345678901234,
  "",
  "0",
  "12.50",
  "-3",
  "1e3",
  "1e999",
  "1e1000",
  "1e-2000",
  "9".repeat(1_100),
  "PENDING",
  "2026-11-20T09:30:00.000Z",
  [],
  {},
  ["a"],
  [null],
  { id: 1 },
  { id: "" },
  { extra: {} },
  [{ id: "x" }, { id: null }]
]

const names = ["__proto__", "constructor", "extra", "id", "status", "amount", "data", "meta", "message", "items", ""]

/** The same JSON with something else in some of its places. */
const altered = (source: Source, value: unknown): unknown => {
  if (source.chance(0.08)) return source.pick(odd)
  if (Array.isArray(value)) {
    return value.filter(() => !source.chance(0.05)).map((item) => altered(source, item))
  }
  if (!Predicate.isReadonlyObject(value)) return value
  const entries = Object.entries(value).filter(() => !source.chance(0.05))
  const more = source.chance(0.15) ? [[source.pick(names), source.pick(odd)] as const] : []
  return Object.fromEntries([...entries.map(([name, inner]) => [name, altered(source, inner)] as const), ...more])
}

const envelopeOf = (operation: string) =>
  partsOf((operations.get(operation) as unknown as { readonly contract: Contract.Any }).contract).success

/** By the codec alone: a check, whatever it is, takes the quick decoder away. */
const byCodec = (success: Schema.Top) =>
  success.pipe(Schema.check(Schema.makeFilter(() => true))) as unknown as Schema.Top

describe("quick decoders", () => {
  it("are there for most answers", () => {
    const without = [...operations.keys()].filter((name) => Quick.envelope(envelopeOf(name)) === undefined)
    assert.isBelow(without.length, operations.size / 3, without.join(", "))
    assert.isUndefined(Quick.envelope(byCodec(envelopeOf("vaults.details"))))
  })

  it("give what the codec gives, for each answer of the corpus and 15 alterations of it", () => {
    let quick = 0
    for (const [at, { envelope, operation }] of answers.entries()) {
      const success = envelopeOf(operation)
      const reader = Envelope.make(success)
      const slow = Envelope.make(byCodec(success))
      const source = random(at + 1)
      for (let round = 0; round <= 15; round++) {
        const sent = round === 0 ? envelope : altered(source, envelope)
        const [one, other] = [reader.read(sent), slow.read(sent)]
        const shown = `${operation}: ${JSON.stringify(sent)}`
        assert.strictEqual(one._tag, other._tag, shown)
        if (Result.isSuccess(one) && Result.isSuccess(other)) assert.deepStrictEqual(one.success, other.success, shown)
        if (Quick.envelope(success)?.(sent) !== Quick.none) quick++
      }
    }
    assert.isAbove(quick, 1_000)
  })
})
