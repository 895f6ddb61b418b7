import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../support/childProgram.ts"

describe("the multi-tenant example", () => {
  it.live(
    "the example reports organizations without a working session, service or configuration, and delays no other",
    () =>
      Effect.gen(function* () {
        const program = yield* Program.start(["multi-tenant/main.ts"], {})
        assert.strictEqual(yield* program.ended, 0, yield* program.said)
        const said = yield* program.said
        const asked = said.split("\n").flatMap((line) => /^ +(\w+) +\d+ ms +(\w+)/.exec(line)?.slice(1) ?? [])
        const fared = new Map<string, string>()
        for (let at = 0; at < asked.length; at += 2) fared.set(asked[at]!, asked[at + 1]!)
        assert.strictEqual(fared.get("hooli"), "ConfigurationInvalid", said)
        assert.strictEqual(fared.get("initech"), "NoSession")
        assert.strictEqual(fared.get("umbrella"), "TransportError")
        for (const key of ["acme", "globex"]) {
          // A call is given two seconds, and the dead service lets them pass: this one had its answer while the dead service gave none.
          assert.strictEqual(fared.get(key), "Vault")
          assert.include(said, `${key.padEnd(8)} 100 succeeded, 1 rotation`)
        }
      })
  )
})
