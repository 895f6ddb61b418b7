import { Amount, ApiError, EndpointSpec, type CustodyClient, Endpoint, Envelope } from "@effect-custody/core"
import { Authentication, Clients, Transactions, Vaults } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Redacted, Ref, Schema, Stream } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
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

describe("a stub", () => {
  it.effect("gets the input, and its answer is the call's", () =>
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

  it.effect("fails as its operation does, and is not asked about a wrong input", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Clients.create({ id: "alice" }))
      assert.deepInclude<object>(refused, { _tag: "ValidationFailed", fields: { id: ["is taken"] } })
      const wrong = yield* Effect.flip(Transactions.send({ clientId: "", assetId: "usdc", to: "0xabc", amount }))
      assert.strictEqual(wrong._tag, "RequestInvalid")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.send": () => Effect.die("asked"),
          "clients.create": () => CustodyTest.refuse("clients.create", { fields: { id: ["is taken"] } })
        })
      )
    )
  )

  it.effect("says of an unknown outcome which call it was, so that the history can be asked for it", () => {
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

  it.effect("gives a page for a list, and a stream reads page after page", () =>
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

  it.effect("that gives what the service cannot give is reported", () =>
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
  it.effect("is reported with its name, its input, and the stub that would do", () =>
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

  it.effect("keeps a secret in its input to itself", () =>
    Effect.gen(function* () {
      const defect = yield* defectOf(Authentication.generateTokens({ apiKey: Redacted.make("canary-key") }))
      assert.include(defect.message, "authentication.generateTokens")
      assert.notInclude(defect.message, "canary-key")
    }).pipe(Effect.provide(CustodyTest.stub({})))
  )
})

class ReportsApi extends HttpApiGroup.make("reports").add(
  HttpApiEndpoint.get("daily", "/reports/:day", {
    params: { day: Schema.String },
    success: Envelope.of(Schema.Struct({ total: Schema.String })),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section: "our own agreement with the service" }))
) {}
const daily = Endpoint.make(ReportsApi, "daily")

describe("an endpoint of one's own", () => {
  it.effect("is stubbed beside the others", () =>
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
