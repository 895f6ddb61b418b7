import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Recorder, type WireRecord } from "@effect-custody/core/siblings/Transport"
import { Effect } from "effect"
import { ways } from "./layers.ts"
import { callEach } from "./operations.ts"

const [inProcess, overSocket] = ways.map(({ layerWith }) => Effect.provide(callEach, layerWith({})))

describe("the operations", () => {
  it.effect("are all called by the tests, and handled by the emulator", () =>
    Effect.gen(function* () {
      const results = yield* inProcess!
      assert.deepStrictEqual(
        Object.keys(results).toSorted(),
        CustodyApi.operations.map(({ operation }) => operation).toSorted()
      )
      assert.lengthOf(Object.keys(results), CustodyApi.operations.length)
    })
  )

  it.effect("give the same results in process and over a real socket", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* overSocket!, yield* inProcess!)
    })
  )

  it.effect("answer each success with the specification's envelope: a message, an object as data, and the status", () =>
    Effect.gen(function* () {
      const answers: Array<readonly [operation: string, answer: WireRecord["answer"]]> = []
      yield* Effect.provideService(callEach, Recorder, ({ answer, operation }) => {
        answers.push([operation, answer])
      })
      // The answers of the two session operations are never recorded; `sessions.test.ts` shows them to the byte.
      const others = CustodyApi.operations.filter(({ safety }) => safety !== "session")
      assert.strictEqual(new Set(answers.map(([operation]) => operation)).size, others.length)
      for (const [operation, answer] of answers) {
        const { data, message, status, ...more } = JSON.parse(answer!.body)
        assert.deepStrictEqual(
          [typeof message, status, typeof data, Array.isArray(data), Object.keys(more)],
          ["string", answer!.status, "object", false, []],
          operation
        )
      }
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("write each change to the ledger once", () =>
    Effect.gen(function* () {
      yield* callEach
      const { counts, ledger } = yield* CustodyEmulator
      const writes = CustodyApi.operations.filter(({ safety }) => safety === "write" || safety === "keyed")
      assert.deepStrictEqual(
        (yield* ledger).map(({ operation }) => operation).toSorted(),
        writes.map(({ operation }) => operation).toSorted()
      )
      const statuses = Object.values((yield* counts).byOperation).flatMap((byStatus) => Object.keys(byStatus))
      assert.isTrue(statuses.every((status) => status.startsWith("2")))
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})
