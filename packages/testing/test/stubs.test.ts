import { Amount, ApiError, type CustodyClient, Endpoint } from "@effect-custody/core"
import { Authentication, Clients, Transactions, Vaults } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Redacted, Ref, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"

const amount = Amount.of("12.50")
const send = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount })

type Call = Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>

/** The defect that an effect dies of. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    assert.isTrue(Exit.isFailure(exit))
    return Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error) : new Error("it succeeded")
  })

describe("CustodyTest.stub", () => {
  it.effect("a stub receives the input, and the call returns the answer of the stub", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<unknown>>([])
      const stubs = CustodyTest.stub({
        "transactions.send": (input) => Effect.as(Ref.set(seen, [input]), { id: "t-1", status: "PENDING" }),
        "vaults.details": () => Effect.succeed({})
      })
      const [sent, vault] = yield* Effect.all([send, Vaults.details()]).pipe(Effect.provide(stubs))
      assert.deepStrictEqual(sent, { id: "t-1", status: "PENDING", extra: {} } as never)
      assert.deepStrictEqual(vault, { extra: {} })
      assert.deepStrictEqual(yield* Ref.get(seen), [{ clientId: "alice", assetId: "usdc", to: "0xabc", amount }])
    })
  )

  it.effect("a stub fails with the errors of its operation, and never receives an invalid input", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Clients.create({ externalId: "alice" }))
      assert.deepInclude<object>(refused, { _tag: "ValidationFailed", fields: { externalId: ["is taken"] } })
      const wrong = yield* Effect.flip(Transactions.send({ clientId: "", assetId: "usdc", to: "0xabc", amount }))
      assert.strictEqual(wrong._tag, "InputInvalid")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.send": () => Effect.die("asked"),
          "clients.create": () => CustodyTest.refuse("clients.create", { fields: { externalId: ["is taken"] } })
        })
      )
    )
  )

  it.effect("an unknown outcome of a stub identifies its call, so that it can be reconciled", () => {
    const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount, note: "payout 1" }
    const made = { id: "t-1", status: "PENDING", ...payout }
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const error = yield* Effect.flip(Transactions.send(payout))
      assert(error._tag === "OutcomeUnknown")
      assert.deepStrictEqual(error.sentAt, yield* DateTime.now)
      assert.strictEqual((yield* Transactions.reconcile(error, payout))._tag, "Found")
      const other = yield* Effect.flip(Transactions.reconcile(error, { ...payout, to: "0xdef" }))
      assert.include(other.message, "is not the input of the transactions.send")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.send": () => CustodyTest.outcomeUnknown("transactions.send"),
          "transactions.list": () => Effect.succeed(CustodyTest.page([made]))
        })
      )
    )
  })

  it.effect("a stub of a list returns pages, and a stream reads all of them", () =>
    Effect.gen(function* () {
      const ids = yield* Clients.stream({ limit: 2 }).pipe(
        Stream.map(({ externalId }) => externalId),
        Stream.runCollect
      )
      assert.deepStrictEqual([...ids], ["a", "b", "c"] as never)
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "clients.list": ({ page }) =>
            Effect.succeed(
              page === 1
                ? CustodyTest.page([{ externalId: "a" }, { externalId: "b" }], { hasNextPage: true })
                : CustodyTest.page([{ externalId: "c" }])
            )
        })
      )
    )
  )

  it.effect("a stub with an answer that the service cannot give is a defect", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Call, string]> = [
        [Transactions.get({ transactionId: "t-1" }), "transactions.get"],
        [Transactions.list(), "transactions.list"]
      ]
      for (const [call, operation] of cases) {
        const defect = yield* defectOf(call)
        assert.instanceOf(defect, CustodyTest.StubInvalid)
        assert.include(defect.message, operation)
      }
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.get": () => Effect.succeed({ id: "t-1" } as never),
          "transactions.list": () => Effect.succeed([{ id: "t-1", status: "PENDING" }] as never)
        })
      )
    )
  )
})

describe("a call without a stub", () => {
  it.effect("a call without a stub dies with its name, its input and a suggested stub", () =>
    Effect.gen(function* () {
      const defect = yield* defectOf(send)
      assert.instanceOf(defect, CustodyTest.UnstubbedCall)
      assert.strictEqual(
        defect.message,
        [
          'transactions.send was called with {"clientId":"alice","assetId":"usdc","to":"0xabc","amount":BigDecimal(12.5)}, and this test has no stub for it.',
          "  It has stubs for vaults.details, clients.list.",
          '  Add one: CustodyTest.stub({ "transactions.send": (input) => Effect.succeed(…) })'
        ].join("\n")
      )
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "vaults.details": () => Effect.succeed({}),
          "clients.list": () => Effect.succeed(CustodyTest.page([]))
        })
      )
    )
  )

  it.effect("a call without a stub shows no secret of its input", () =>
    Effect.gen(function* () {
      const defect = yield* defectOf(Authentication.generateTokens({ apiKey: Redacted.make("canary-key") }))
      assert.include(defect.message, "authentication.generateTokens")
      assert.notInclude(defect.message, "canary-key")
    }).pipe(Effect.provide(CustodyTest.stub({})))
  )
})

const daily_ = Endpoint.read("reports.daily", {
  route: "GET /reports/:day",
  assumed: "our own agreement with the service",
  params: { day: Schema.String },
  success: Schema.Struct({ total: Schema.String }),
  errors: [ApiError.NotFound]
})
const daily = daily_

describe("CustodyTest.own", () => {
  it.effect("an endpoint of a user is stubbed beside the others", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* daily({ day: "monday" }), { total: "monday" })
      assert.deepStrictEqual(yield* Vaults.details(), { extra: {} })
    }).pipe(
      Effect.provide(
        CustodyTest.stub(
          { "vaults.details": () => Effect.succeed({}) },
          CustodyTest.own(daily, ({ day }) => Effect.succeed({ total: day }))
        )
      )
    )
  )
})
