import { Amount, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients, Transactions, Vaults } from "@effect-custody/sdk"
import { CustodyTest, Faults, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tagOf } from "../../../test/support/clients/scriptedClient.ts"

/** The kit, whose client sends nothing again by itself. */
const kit = Effect.provide(CustodyTest.layerWith({ retry: RetryPolicy.none }))

const statuses = (operation: string) =>
  WireLog.use(({ entries }) =>
    Effect.map(entries, (all) =>
      all
        .filter((entry) => entry.operation === operation)
        .map(({ answer }) => (answer._tag === "Answered" ? answer.status : answer._tag))
    )
  )

const details = tagOf(Vaults.details()).pipe(CustodyTest.fastForward())
describe("Faults", () => {
  it.effect("a client refreshes once and repeats the call after a fault expires its token", () =>
    Effect.gen(function* () {
      yield* Faults.play(Faults.next("clients.list", Faults.tokenExpired))
      yield* Vaults.details()
      yield* Clients.list()
      assert.deepStrictEqual(yield* statuses("clients.list"), [498, 200])
      assert.strictEqual((yield* (yield* CustodyEmulator).counts).rotations, 1)
    }).pipe(kit)
  )

  it.effect("a call fails with the lost session after a fault drops the answer of a refresh", () =>
    Effect.gen(function* () {
      yield* Vaults.details()
      yield* Faults.play(Faults.expireTokens, Faults.next("authentication.refreshToken", Faults.answerLost))
      const error = yield* Effect.flip(Vaults.details())
      assert.strictEqual(error._tag, "SessionLost")
      if (error._tag === "SessionLost") assert.isDefined(error.answerLostAt)
    }).pipe(kit)
  )

  it.effect("a fault revokes every session", () =>
    Effect.gen(function* () {
      yield* Vaults.details()
      yield* Faults.play(Faults.revokeSessions)
      assert.strictEqual(yield* details, "InvalidAccessToken")
    }).pipe(kit)
  )

  it.effect("a client cannot tell the outcome after a reset or a lost answer, and the ledger shows it", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const create = tagOf(Clients.createMany({ ids: ["alice"] }))
      yield* Faults.play(
        Faults.next("clients.createMany", Faults.reset),
        Faults.next("clients.get", Faults.stall),
        Faults.next("clients.createMany", Faults.answerLost),
        Faults.next("clients.get", Faults.stall)
      )
      assert.strictEqual(yield* create.pipe(CustodyTest.fastForward()), "OutcomeUnknown")
      assert.lengthOf(yield* emulator.ledger, 0)
      assert.strictEqual(yield* create.pipe(CustodyTest.fastForward()), "OutcomeUnknown")
      assert.lengthOf(yield* emulator.ledger, 1)
    }).pipe(kit)
  )

  it.effect("a call ends as documented after each fault of the connection or of the service", () =>
    Effect.gen(function* () {
      const cases = [
        [Faults.neverArrived, "TransportError"],
        [Faults.serverError, "UnknownApiError"],
        [Faults.rateLimited("3 seconds"), "RateLimited"],
        [Faults.slow("20 seconds"), "Succeeded"],
        [Faults.stall, "TransportError"],
        [Fault.html(), "UnknownApiError"]
      ] as const
      for (const [fault, tag] of cases) {
        yield* Faults.play(Faults.next("vaults.details", fault))
        assert.strictEqual(yield* details, tag, fault.name)
      }
    }).pipe(kit)
  )

  it.effect("a fault lets the service accept a transaction that later ends as rejected or in error", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Clients.create({ id: "alice" })
      yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "10" })
      yield* Faults.play(Faults.failNextTransaction(), Faults.failNextTransaction("ERROR"))
      const ends: Array<string> = []
      for (let sent = 0; sent < 3; sent++) {
        const amount = Amount.of("1")
        const { id } = yield* Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount })
        ends.push((yield* Transactions.awaitFinal(id)).status)
      }
      assert.deepStrictEqual(ends, ["REJECTED", "ERROR", "COMPLETED"])
    }).pipe(CustodyTest.fastForward(), kit)
  )
})

describe("the schedule of faults", () => {
  const sixTimes = Effect.gen(function* () {
    for (let call = 0; call < 6; call++) yield* details
    return yield* statuses("vaults.details")
  })

  it.effect("next applies each fault once, in the order of the calls", () =>
    Effect.gen(function* () {
      yield* Faults.play(
        Faults.next("vaults.details", Faults.answer("E40000")),
        Faults.next("vaults.details", Faults.serverError)
      )
      assert.deepStrictEqual(yield* sixTimes, [400, 500, 200, 200, 200, 200])
    }).pipe(kit)
  )

  it.effect("a fault for one request takes precedence over times and always", () =>
    Effect.gen(function* () {
      yield* Faults.play(
        Faults.always("vaults.details", Faults.serverError),
        Faults.times(2)("vaults.details", Faults.answer("E40000")),
        Faults.nth(4)("vaults.details", Faults.answer("E00402"))
      )
      assert.deepStrictEqual(yield* sixTimes, [400, 400, 500, 422, 500, 500])
      yield* Faults.play(Faults.stop)
      assert.strictEqual(yield* details, "Succeeded")
    }).pipe(kit)
  )
})
