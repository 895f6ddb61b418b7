import { CustodyEmulator } from "@effect-custody/emulator"
import { Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withoutFrames } from "../../../packages/core/src/internal/withoutFrames.ts"

describe("an error without frames", () => {
  it.effect("is that of an answer: its stack names no file of ours, and says what the error says", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Wallets.get({ walletId: "missing" }))
      assert.strictEqual(error.stack, `@effect-custody/core/ApiError/NotFound: ${error.message}`)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it("leaves the frames of all other errors, also where making it throws", () => {
    const before = Error.stackTraceLimit
    assert.throws(() =>
      withoutFrames(() => {
        throw new Error("cannot be made")
      })
    )
    assert.strictEqual(Error.stackTraceLimit, before)
    assert.include(new Error("another").stack, "withoutFrames.test")
  })
})
