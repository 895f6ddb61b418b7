import { CustodyEmulator } from "@effect-custody/emulator"
import { type LedgerError, Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { Clients } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { open, order, service, stateOf, until, withLedger } from "../../../../test/support/worlds/ledgerWorld.ts"

/** A newer version of this package may know states that this one does not. */
const later = SqlClient.SqlClient.use((sql) => sql`UPDATE payouts SET state = 'later' WHERE reference = 'invoice-1'`)

const place = LedgerSqlite.layer({ filename: ":memory:" })

const submitted = Payouts.submit({ batch: "june", by: "ann", orders: [{ ...order, reference: "invoice-1" }] })

const reads: ReadonlyArray<readonly [string, Effect.Effect<unknown, LedgerError, Payouts.Payouts>]> = [
  ["get", Payouts.get("invoice-1")],
  ["list", Payouts.list()],
  ["progress", Payouts.progress("june")],
  ["batches", Payouts.batches],
  [
    "pay",
    Effect.catchTag(Payouts.pay("invoice-1", order), ["OrdersInvalid", "ReferenceConflict"], Effect.die).pipe(
      Effect.catchTag(["PayoutRefused", "PayoutFailed", "PayoutUndecided"], Effect.die)
    )
  ]
]

describe("a row that this version does not know", () => {
  it.effect.each(reads)("%s fails with LedgerError, and shows no payout", ([, read]) =>
    Effect.gen(function* () {
      const ledger = yield* open(place)
      yield* Effect.gen(function* () {
        yield* submitted
        yield* later
        const failed = yield* Effect.flip(read)
        assert.strictEqual(failed._tag, "LedgerError")
        assert.match(failed.message, /a row that this version does not know: .*"state"/)
      }).pipe(withLedger(ledger))
    })
  )

  it.effect("no person decides about it", () =>
    Effect.gen(function* () {
      const ledger = yield* open(place)
      yield* Effect.gen(function* () {
        yield* submitted
        yield* later
        const failed = yield* Effect.flip(Payouts.cancel({ batch: "june" }, { by: "ada", reason: "late" }))
        assert.strictEqual(failed._tag, "LedgerError")
      }).pipe(withLedger(ledger))
    })
  )

  it.live("a worker that meets it stops, and sends nothing", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
      const ledger = yield* open(place)
      yield* Effect.gen(function* () {
        const worker = yield* Effect.forkChild(Payouts.run)
        yield* submitted
        yield* until(Effect.map(stateOf("invoice-1"), (state) => state === "paid"))
        yield* Fiber.interrupt(worker)
        yield* later
        yield* Payouts.submit({ batch: "july", by: "ann", orders: [{ ...order, reference: "invoice-2" }] })
        const failed = yield* Effect.flip(Payouts.run)
        assert.strictEqual(failed._tag, "LedgerError")
        assert.strictEqual(yield* stateOf("invoice-2"), "ready")
      }).pipe(withLedger(ledger))
    }).pipe(Effect.provide(service()), Effect.scoped)
  )
})
