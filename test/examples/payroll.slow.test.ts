import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import * as Program from "../support/childProgram.ts"

describe.skipIf(!hasPostgres)("the payroll example", () => {
  it.live("a payroll on three runners, one of which is killed while it pays, pays every employee once", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Program.onboard("alice")
      // Longer than the time in which a runner dies.
      yield* emulator.faults.next("transactions.send", Fault.delayed({ answer: "1 second" }), { times: 12 })
      const { code, errors, output } = yield* Program.run(["payroll/main.ts"], {
        ...(yield* Program.environmentOf()),
        DATABASE_URL: yield* emptyDatabase(yield* postgresServer)
      })
      const said = `${output}${errors}`
      assert.include(output, "cannot approve june: ann has submitted it", said)
      assert.match(output, /runner \d is killed while it pays/)
      // The runner that took over ran the workflow again.
      const approvals = [...output.matchAll(/(runner \d): .*: approved by bob/g)].map(([, runner]) => runner)
      assert.isAtLeast(new Set(approvals).size, 2, said)

      const paid = new Map<string, number>()
      for (const { marker = "", operation } of yield* emulator.ledger) {
        if (operation === "transactions.send") paid.set(marker, (paid.get(marker) ?? 0) + 1)
      }
      // What the killed runner had claimed and not yet sent is for a person.
      const open = [...output.matchAll(/^(\S+) needs a person/gm)].map(([, reference]) => reference!)
      assert.deepStrictEqual([...new Set(paid.values())], [1], said)
      assert.strictEqual(paid.size + open.length, 12, said)
      for (const reference of open) assert.isFalse(paid.has(reference), said)
      assert.include(output, `${12 - open.length} of 12 employees are paid`)
      assert.deepStrictEqual([code, open.length === 0], open.length === 0 ? [0, true] : [1, false], said)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
