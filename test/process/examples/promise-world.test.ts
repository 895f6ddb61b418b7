import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Path from "node:path"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import * as Program from "./program.ts"

const order = {
  reference: "p-1",
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "12.50"
}

describe("promise-world", () => {
  it.live("gives plain answers, and finishes what is under way when it is told to stop", () =>
    Effect.gen(function* () {
      yield* Program.onboard("alice")
      const { expireTokens, faults } = yield* CustodyEmulator
      const program = yield* Program.start(["promise-world/main.ts"], {
        ...(yield* Program.environmentOf()),
        CUSTODY_SESSION_FILE: Path.join(yield* temporaryDirectory, "session.db"),
        PORT: "0"
      })
      const url = `http://localhost:${yield* program.saying(/listening on port (\d+)/)}`
      const pay = (changes: object = {}) => Program.request(`${url}/payouts`, "POST", { ...order, ...changes })

      const vault = yield* Program.request(`${url}/vault`)
      assert.deepInclude(vault.body, { kind: "done" })
      yield* expireTokens
      assert.deepInclude(yield* pay(), { status: 201 })
      assert.strictEqual((yield* pay({ reference: "p-0", amount: "1e9" })).body.kind, "refused")
      assert.strictEqual((yield* pay({ amount: "twelve" })).body.kind, "refused")
      assert.strictEqual((yield* pay({ amount: 12 })).status, 400)
      assert.strictEqual((yield* Program.request(`${url}/`)).status, 404)

      yield* faults.next("transactions.send", Fault.answerLost())
      const lost = yield* pay({ reference: "p-2" })
      assert.deepInclude(lost.body, { kind: "unknown", reference: "p-2" })
      assert.strictEqual((yield* pay({ reference: "p-2" })).body.kind, "done")
      yield* faults.next("transactions.send", Fault.rateLimited("1 hour"))
      assert.strictEqual((yield* pay({ reference: "p-3" })).body.kind, "not-now")
      assert.strictEqual(yield* Program.sends, 2)

      yield* faults.next("transactions.send", Fault.delayed({ answer: "1 second" }))
      const paying = yield* Effect.forkChild(pay({ reference: "p-3" }))
      yield* Program.untilSent(3)
      yield* program.kill("SIGTERM")
      assert.strictEqual((yield* Fiber.join(paying)).status, 201)
      assert.strictEqual(yield* program.ended, 0)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
