import { RefreshUnavailable } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { standing } from "../../../packages/authentication/src/internal/cooldown.ts"
import type { Pause } from "../../../packages/authentication/src/internal/sessionState.ts"

const until = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))

describe("the pause of a session", () => {
  it.prop(
    "lasts as long as the longest of those that were asked for, with its error",
    { untils: Arbitrary.array(until) },
    ({ untils }) => {
      const asked = untils.map((until): Pause => ({
        until,
        error: new RefreshUnavailable({
          identity: "default",
          phase: "Throttled",
          reason: "HTTP 429",
          retryAt: DateTime.makeUnsafe(until)
        })
      }))
      let stands: Pause | undefined
      for (const [at, pause] of asked.entries()) {
        stands = standing(stands, pause)
        const soFar = asked.slice(0, at + 1)
        const longest = Math.max(...soFar.map((one) => one.until))
        // Of those that end together, the last one says why.
        assert.strictEqual(
          stands,
          soFar.findLast((one) => one.until === longest)
        )
      }
    }
  )
})
