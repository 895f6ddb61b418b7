import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CustodyApi } from "@effect-custody/sdk"
import { caseOf, run } from "./fuzz.ts"

/** `pnpm simulate fuzz` runs 100,000, or as many as it is told. */
const cases = 10_000

describe("odd answers to every operation", () => {
  it("are made from a number alone", () => {
    assert.deepStrictEqual(caseOf(17), caseOf(17))
    assert.lengthOf(
      new Set(Array.from({ length: 3_000 }, (_, number) => caseOf(number).operation)),
      CustodyApi.operations.length
    )
  })

  it.live(
    `${cases} random bodies and statuses: no defect, no hang, no secret in an error, and always a typed result`,
    () =>
      Effect.gen(function* () {
        const { counts, faults } = yield* run(0, cases)
        assert.deepStrictEqual(faults, [])
        for (const tag of ["Success", "UnexpectedResponse", "OutcomeUnknown", "OtherApiError", "TransportError"]) {
          assert.isAbove(counts[tag] ?? 0, cases / 100, tag)
        }
      })
  )
})
