import { assert, describe, it } from "@effect/vitest"
import * as Core from "@effect-custody/core"
import * as Sdk from "@effect-custody/sdk"

const isErrorClass = (u: unknown): boolean => typeof u === "function" && u.prototype instanceof Error

describe("the entry point of the sdk", () => {
  it("the entry point of the sdk exports every error class of core", () => {
    const classes = Object.entries(Core).flatMap(([name, value]) => (isErrorClass(value) ? [name] : []))
    assert.includeMembers(classes, ["OutcomeUnknown", "SessionLost", "TokenExpired", "StillPending"])
    assert.includeMembers(Object.keys(Sdk), classes)
  })

  it("Custody.withHeaders is the withHeaders of core", () => {
    assert.isFunction(Core.withHeaders)
    assert.strictEqual(Sdk.Custody.withHeaders, Core.withHeaders)
  })
})
