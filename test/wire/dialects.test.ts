/** Services whose whole API has a wire of its own, under the contract of each: the money simulation runs unchanged. */
import { ServiceContract } from "@effect-custody/contract"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { layerOf, services } from "../support/servers/dialects/contracts.ts"
import { frontClient } from "../support/servers/dialects/front.ts"
import { findMistake, simulate } from "../simulation/money/simulation.ts"

describe.each(services)("the dialect of $dialect.name", (service) => {
  const { code = {}, contract, dialect } = service

  it("a contract file expresses the dialect, except for a few operations", () => {
    assert.isAtMost(Object.keys(code).length, 6)
    const checked = ServiceContract.fromJson(JSON.stringify(contract), CustodyApi)
    assert.deepStrictEqual(Result.isFailure(checked) ? checked.failure : [], [])
  })

  it.effect.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "the money simulation finds no mistake in schedule %i over the dialect",
    (seed) =>
      Effect.gen(function* () {
        const { accounts, history, strangers } = yield* simulate(seed, frontClient(dialect), layerOf(service))
        assert.deepStrictEqual(accounts.map(findMistake).filter(Boolean), [], history.join("\n"))
        assert.strictEqual(strangers, 0)
      })
  )
})
