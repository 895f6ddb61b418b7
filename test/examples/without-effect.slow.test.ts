import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Path from "node:path"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const order = {
  reference: "p-1",
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "12.50"
}

/** The program in a directory of its own, and how it is asked to pay. */
const started = Effect.fnUntraced(function* (directory: string) {
  const program = yield* Program.start(["without-effect/main.ts"], {
    ...(yield* Program.environmentOf()),
    CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
    PAYOUTS_FILE: Path.join(directory, "payouts.db"),
    PORT: "0"
  })
  const url = `http://localhost:${yield* program.saying(/listening on port (\d+)/)}`
  const pay = (changes: object = {}) => Program.request(`${url}/payouts`, "POST", { ...order, ...changes })
  return { pay, program, url }
})

describe("the without-effect example", () => {
  it.live("the example gives plain answers, and finishes its work when it is stopped", () =>
    Effect.gen(function* () {
      yield* Program.onboard("alice")
      const { expireTokens, faults } = yield* CustodyEmulator
      const { pay, program, url } = yield* started(yield* temporaryDirectory)

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

  it.live("the example never sends a reference again that may have been paid, for any history and after a crash", () =>
    Effect.gen(function* () {
      yield* Program.onboard("alice")
      const { faults } = yield* CustodyEmulator
      const directory = yield* temporaryDirectory
      const first = yield* started(directory)

      yield* faults.next("transactions.send", Fault.answerLost())
      assert.strictEqual((yield* first.pay()).body.kind, "unknown")
      const behind = Fault.answered({ status: 200, body: { message: "OK", data: [], status: 200 } })
      yield* faults.next("transactions.list", behind, { times: Infinity })
      assert.deepInclude((yield* first.pay()).body, { kind: "unknown", reference: "p-1" })
      yield* faults.clear
      assert.strictEqual(yield* Program.sends, 1)
      assert.strictEqual((yield* first.pay({ amount: "13" })).body.kind, "refused")

      yield* faults.next("transactions.send", Fault.delayed({ answer: "1 minute" }))
      yield* Effect.forkChild(Effect.exit(first.pay({ reference: "p-2" })))
      yield* Program.untilSent(2)
      yield* first.program.kill("SIGKILL")
      yield* first.program.ended

      const { pay } = yield* started(directory)
      assert.strictEqual((yield* pay({ reference: "p-2" })).body.kind, "done")
      assert.strictEqual((yield* pay()).body.kind, "done")
      assert.strictEqual(yield* Program.sends, 2)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
