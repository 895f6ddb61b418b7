import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptyDatabase, postgresServer } from "../support/servers/postgres.ts"
import * as Program from "../support/childProgram.ts"

describe("the token-rotation example", () => {
  it.live("three processes with one session refresh it once per expiry", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const program = yield* Program.start(["token-rotation/main.ts"], {
        ...(yield* Program.environmentOf()),
        DATABASE_URL: yield* emptyDatabase(yield* postgresServer)
      })
      assert.strictEqual(yield* program.ended, 0, yield* program.said)
      const said = yield* program.said
      assert.strictEqual(said.match(/50 of 50 calls succeeded, session of generation 2/g)?.length, 3, said)
      const { byOperation, refreshes } = yield* emulator.counts
      assert.deepStrictEqual(byOperation["authentication.generateTokens"], { 201: 1 })
      assert.strictEqual(refreshes, 2)
      assert.strictEqual(byOperation["vaults.details"]?.[200], 3 * 3 * 50)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
