/** What became of a transaction whose outcome is unknown: from the history alone. */
import { Amount, Fingerprint, OutcomeUnknown } from "@effect-custody/core"
import { Transactions } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { answered, layer, refused, reset, script, Scripted, sent } from "../../support/clients/scripted.ts"

const payout = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.fromString("12.50"),
  note: "payout 7"
}

const shown = { id: "t-1", status: "PENDING", clientId: "alice", assetId: "usdc", to: payout.to, amount: "12.5" }

/** A page of the history, of which the service does not say whether it is the last. */
const page = (...transactions: ReadonlyArray<object>) =>
  answered(200, { message: "Transactions", data: transactions, status: 200 })

/** The whole history. */
const history = (...transactions: ReadonlyArray<object>) =>
  answered(200, { message: "Transactions", data: transactions, meta: { hasNextPage: false }, status: 200 })

const unknownOutcome = Effect.flip(Transactions.send(payout)).pipe(
  Effect.filterOrElse(
    (error) => error._tag === "OutcomeUnknown",
    (error) => Effect.die(error)
  )
)

const reconciled = (...transactions: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    yield* script(reset, history(...transactions))
    return yield* Transactions.reconcile(yield* unknownOutcome, payout)
  })

describe("the history, asked for a transaction whose outcome is unknown,", () => {
  it.effect("shows it: found, whatever the amount's zeros and the address's case", () =>
    Effect.gen(function* () {
      const other = { ...shown, id: "t-2", amount: "12.51" }
      const found = yield* reconciled(other, { ...shown, to: payout.to.toLowerCase() })
      assert.strictEqual(found._tag === "Found" && String(found.transaction.id), "t-1")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("does not show it: not found so far", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* reconciled())._tag, "NotFoundSoFar")
      assert.strictEqual((yield* reconciled({ ...shown, to: "0xabc" }))._tag, "NotFoundSoFar")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("shows several: candidates, unless one bears the note", () =>
    Effect.gen(function* () {
      const several = yield* reconciled(shown, { ...shown, id: "t-2" })
      assert.strictEqual(several._tag === "SeveralCandidates" && several.transactions.length, 2)
      const noted = yield* reconciled(shown, { ...shown, id: "t-2", note: "payout 7" })
      assert.strictEqual(noted._tag === "Found" && String(noted.transaction.id), "t-2")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("shows one without its amount or address, or with something else about it: a candidate, not more", () =>
    Effect.gen(function* () {
      for (const other of [{ note: "payout 6" }, { clientId: "4711" }, { assetId: "USDC-1" }]) {
        assert.strictEqual((yield* reconciled({ ...shown, ...other }))._tag, "SeveralCandidates")
      }
      const { amount: _, ...silent } = shown
      assert.strictEqual((yield* reconciled(silent))._tag, "SeveralCandidates")
      assert.strictEqual(
        (yield* reconciled({ id: "t-1", status: "PENDING", amount: "12.50" }))._tag,
        "SeveralCandidates"
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is read from just before it was sent, page after page, and nothing is ever sent", () =>
    Effect.gen(function* () {
      const full = Array.from({ length: 100 }, (_, at) => ({ ...shown, id: `t-${at + 10}`, amount: "1" }))
      yield* script(reset, page(...full), history(shown))
      const found = yield* Transactions.reconcile(yield* unknownOutcome, payout)
      assert.strictEqual(found._tag, "Found")
      assert.deepStrictEqual(yield* sent, ["POST /transactions/send", "GET /transactions", "GET /transactions"])
      const [query] = (yield* Scripted).queries.slice(1)
      assert.strictEqual(query?.from, "1969-12-31T23:58:00.000Z")
      assert.strictEqual(query?.clientId, "alice")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("shows it on a later page of a service that gives fewer than were asked for", () =>
    Effect.gen(function* () {
      const others = (from: number) =>
        Array.from({ length: 50 }, (_, at) => ({ ...shown, id: `t-${from + at}`, amount: "1" }))
      yield* script(reset, page(...others(0)), page(...others(50)), page(shown), page())
      assert.strictEqual((yield* Transactions.reconcile(yield* unknownOutcome, payout))._tag, "Found")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not taken for read where the service gives the same page for ever", () =>
    Effect.gen(function* () {
      const others = Array.from({ length: 50 }, (_, at) => ({ ...shown, id: `t-${at + 10}`, amount: "1" }))
      yield* script(reset, page(...others))
      const refusal = yield* Effect.flip(Transactions.reconcile(yield* unknownOutcome, payout))
      assert.strictEqual(refusal._tag, "PageRepeated")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not asked for another input than that of the call", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const error = yield* unknownOutcome
      const other = { ...payout, amount: Amount.fromString("12.51") }
      const refusal = yield* Effect.flip(Transactions.reconcile(error, other))
      assert.strictEqual(refusal._tag, "RequestInvalid")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("cannot be read: the reason is told", () =>
    Effect.gen(function* () {
      yield* script(reset, refused(403))
      const refusal = yield* Effect.flip(Transactions.reconcile(yield* unknownOutcome, payout))
      assert.strictEqual(refusal._tag, "UnknownApiError")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is asked for a transfer between clients by its sender, asset and amount", () =>
    Effect.gen(function* () {
      const move = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.fromString("3") }
      const error = new OutcomeUnknown({
        operation: "transactions.transfer",
        fingerprint: Result.getOrThrow(Fingerprint.of(Transactions.transfer, move)),
        sentAt: DateTime.makeUnsafe("2026-11-20T12:00:00Z"),
        reason: "ECONNRESET"
      })
      yield* script(history({ id: "t-9", status: "COMPLETED", clientId: "alice", assetId: "usdc", amount: "3.00" }))
      assert.strictEqual((yield* Transactions.reconcile(error, move))._tag, "Found")
    }).pipe(Effect.provide(layer()))
  )
})
