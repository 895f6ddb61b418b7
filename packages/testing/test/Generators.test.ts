import * as Operation from "@effect-custody/core/siblings/Operation"
import { CustodyApi } from "@effect-custody/sdk"
import * as Sdk from "@effect-custody/sdk"
import type * as Operations from "@effect-custody/sdk/Operations"
import { Generators } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, BigDecimal, Effect, Result, Schema } from "effect"
import * as Declaration from "@effect-custody/core/siblings/Declaration"

const names = CustodyApi.operations.map(({ operation }) => operation as Operations.Name)

/** The function of an operation, found without the kit. */
const functionOf = (name: string) => {
  const [category, key] = name.split(".") as [string, string]
  const namespace = Object.entries(Sdk).find(([known]) => known.toLowerCase() === category.toLowerCase())?.[1]
  return (namespace as unknown as Record<string, Operation.Any>)[key]!
}

const envelopeOf = (name: string) =>
  Schema.toCodecJson(Declaration.envelope(functionOf(name))) as unknown as Schema.Codec<unknown, unknown>

describe("generated records", () => {
  it.effect("a generated record decodes from its encoding to an equal record", () =>
    Effect.gen(function* () {
      for (const name of names) {
        const envelope = envelopeOf(name)
        const result = yield* Arbitrary.checkEffect(
          Generators.payload(name),
          (payload) => {
            const page = payload as { readonly items?: unknown }
            const data = Array.isArray(page.items)
              ? { items: page.items }
              : Array.isArray(payload)
                ? { items: payload }
                : payload
            const written = Schema.encodeUnknownSync(envelope)({ data })
            // Over the wire it is text.
            const read = Schema.decodeUnknownSync(envelope)(JSON.parse(JSON.stringify(written)))
            assert.deepEqual(JSON.stringify(Schema.encodeUnknownSync(envelope)(read)), JSON.stringify(written), name)
            return true
          },
          { runs: 30, seed: 1 }
        )
        assert.strictEqual(result._tag, "Passed", `${name}: ${Arbitrary.formatCheckFailure(result as never)}`)
      }
    })
  )

  it.effect("generated records sometimes have an optional field and sometimes not", () =>
    Effect.gen(function* () {
      const transactions = yield* Arbitrary.sampleEffect(Generators.record("transactions.get"), { count: 100, seed: 3 })
      const hashes = transactions.filter(({ hash }) => hash !== undefined).length
      assert.isTrue(hashes > 10 && hashes < 90, `${hashes} of 100 have a hash`)
      assert.isTrue(transactions.every(({ id, status }) => id !== "" && status.length > 0))
      assert.isAbove(new Set(transactions.map(({ status }) => status)).size, 3)
    })
  )

  it.effect("generated amounts are never negative, sometimes zero, and sometimes have every decimal of a coin", () =>
    Effect.gen(function* () {
      const amounts = yield* Arbitrary.sampleEffect(Generators.Amount, { count: 300, seed: 3 })
      assert.isTrue(amounts.every((amount) => amount.value >= 0n))
      assert.isTrue(
        amounts.every((amount) => BigDecimal.isLessThanOrEqualTo(amount, BigDecimal.fromBigInt(1_000_001n)))
      )
      assert.isAbove(new Set(amounts.map(({ scale }) => scale)).size, 3)
      const orders = yield* Arbitrary.sampleEffect(Generators.input("paymentOrders.create"), { count: 100, seed: 3 })
      const most = BigDecimal.fromBigInt(1_000_001n)
      assert.isTrue(orders.every(({ amount }) => amount.value > 0n && BigDecimal.isLessThanOrEqualTo(amount, most)))
    })
  )

  it.effect("a seed gives the same records again", () =>
    Effect.gen(function* () {
      const sample = (seed: number) => Arbitrary.sampleEffect(Generators.record("wallets.list"), { count: 5, seed })
      assert.deepEqual(yield* sample(1), yield* sample(1))
      assert.notDeepEqual(yield* sample(1), yield* sample(2))
    })
  )
})

describe("generated inputs", () => {
  it.effect("the contract of every operation accepts its generated inputs", () =>
    Effect.gen(function* () {
      for (const name of names) {
        const operation = functionOf(name)
        const result = yield* Arbitrary.checkEffect(
          Generators.input(name),
          (input) => {
            const encoded = Operation.encode(operation, input)
            if (Result.isFailure(encoded)) assert.fail(`${name}: ${encoded.failure.message}`)
            return true
          },
          { runs: 50, seed: 5 }
        )
        assert.strictEqual(result._tag, "Passed", name)
      }
    })
  )
})
