import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "./program.ts"

describe("multi-tenant", () => {
  it.live("organizations whose session, service or configuration is dead are told as such, and delay no other", () =>
    Effect.gen(function* () {
      const program = yield* Program.start(["multi-tenant/main.ts"], {})
      assert.strictEqual(yield* program.ended, 0, yield* program.said)
      const said = yield* program.said
      const asked = said.split("\n").flatMap((line) => /^ +(\w+) +(\d+) ms +(\w+)/.exec(line)?.slice(1) ?? [])
      const fared = new Map<string, { took: number; what: string }>()
      for (let at = 0; at < asked.length; at += 3) {
        fared.set(asked[at]!, { took: Number(asked[at + 1]), what: asked[at + 2]! })
      }
      assert.strictEqual(fared.get("hooli")?.what, "ConfigurationInvalid", said)
      assert.strictEqual(fared.get("initech")?.what, "NoSession")
      assert.strictEqual(fared.get("umbrella")?.what, "TransportError")
      for (const key of ["acme", "globex"]) {
        assert.strictEqual(fared.get(key)?.what, "Vault")
        assert.isBelow(fared.get(key)!.took, fared.get("umbrella")!.took)
        assert.include(said, `${key.padEnd(8)} 100 succeeded, 1 rotation`)
      }
    })
  )
})
