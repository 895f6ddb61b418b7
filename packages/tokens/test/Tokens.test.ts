import { assert, describe, it } from "@effect/vitest"
import { Tokens } from "@effect-custody/tokens"
import { Effect, type Schema } from "effect"
import { scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

describe("Tokens", () => {
  it.effect("updateMetadata accepts metadata up to the maximum size, and refuses larger metadata", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    const text = "x".repeat(4 * 1024 * 1024 + 1)
    return Effect.gen(function* () {
      yield* Tokens.updateMetadata({ tokenId: "tok-1", metadata: { list: Array.from({ length: 10_000 }, () => 1) } })
      const refused: ReadonlyArray<readonly [metadata: Record<string, Schema.Json>, message: string]> = [
        [{ text }, "is larger than 4194304 characters"],
        [{ [text]: 1 }, "is larger than 4194304 characters"],
        [{ texts: ["a", text.slice(2)] }, "is larger than 4194304 characters"],
        [{ list: Array.from({ length: 200_000 }, () => 1) }, "holds more than 200000 values"]
      ]
      for (const [metadata, message] of refused) {
        const error = yield* Effect.flip(Tokens.updateMetadata({ tokenId: "tok-1", metadata }))
        assert(error._tag === "InputInvalid")
        assert.deepStrictEqual(error.issues, [{ path: ["metadata"], message }])
      }
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("updateMetadata accepts metadata up to the maximum depth, and refuses deeper metadata", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    const nested = (levels: number): Schema.Json => {
      let value: Schema.Json = "end"
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value }
      return value
    }
    const circular: Array<Schema.Json> = []
    circular.push(circular)
    return Effect.gen(function* () {
      yield* Tokens.updateMetadata({ tokenId: "tok-1", metadata: { deep: nested(255) } })
      for (const deep of [nested(256), nested(8_000), nested(1_000_000), circular]) {
        const refused = yield* Effect.flip(Tokens.updateMetadata({ tokenId: "tok-1", metadata: { deep } }))
        assert(refused._tag === "InputInvalid")
        assert.deepStrictEqual(refused.issues, [{ path: ["metadata"], message: "is nested deeper than 256 levels" }])
      }
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })
})
