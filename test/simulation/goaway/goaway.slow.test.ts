/** A short run of `node test/simulation/goaway/main.ts`. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenClaims, run } from "./goaway.ts"

it.live("500 writes to a service that says GOAWAY every 100 ms are carried out once each, and none ends unknown", () =>
  Effect.gen(function* () {
    const account = yield* run({ writes: 500, callers: 16, every: 100, oneWay: 20 })
    yield* Effect.log(account)
    assert.deepStrictEqual(brokenClaims(account), [])
  })
)
