import { Amount, type CustodyClient } from "@effect-custody/core"
import { Clients, Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { layer, refused, script } from "../../../test/support/clients/scriptedTransport.ts"

const send = Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") })

const stubs = (refusal: CustodyTest.Refusal) =>
  CustodyTest.stub({
    "transactions.send": () => CustodyTest.refuse("transactions.send", refusal),
    "clients.create": () => CustodyTest.refuse("clients.create", refusal),
    "clients.get": () => CustodyTest.refuse("clients.get", refusal)
  })

const calls: Readonly<Record<string, Effect.Effect<unknown, object, CustodyClient>>> = {
  "a write": send,
  "a keyed creation": Clients.create({ externalId: "alice" }),
  "a read": Clients.get({ externalId: "alice" })
}

/** Reads the parts of an error that a program can branch on. */
const readEnd = <R>(program: Effect.Effect<unknown, object, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(program))
    yield* TestClock.adjust("1 hour")
    const { _tag, code, fingerprint, lookUp, operation, reason, status } = (yield* Fiber.join(fiber)) as Record<
      string,
      unknown
    >
    // The real client looks a creation up, and adds the end of the look-up.
    const ended = typeof reason === "string" ? reason.split("; then its look-up")[0] : reason
    return { _tag, code, fingerprint, lookUp, operation, reason: ended, status }
  })

const statuses = [400, 401, 403, 404, 408, 409, 421, 422, 425, 429, 498, 499, 500, 502, 503, 504, 599]

describe("CustodyTest.refuse", () => {
  for (const [kind, call] of Object.entries(calls)) {
    it.effect(`a refused stub ends ${kind} as the real client does for every status`, () =>
      Effect.gen(function* () {
        for (const status of statuses) {
          for (const code of [undefined, "E40003", "E50001"]) {
            const stubbed = yield* readEnd(Effect.provide(call, stubs({ status, code, message: "No" })))
            const real = yield* readEnd(
              Effect.andThen(script(refused(status, code)), call).pipe(Effect.provide(layer(), { local: true }))
            )
            assert.deepStrictEqual(stubbed, real, `${status} ${code}`)
          }
        }
      })
    )
  }

  it.effect.each([200, 204, 302, 600])("a stub cannot refuse with the status %s", (status) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(send, stubs({ status })))
      assert(Exit.isFailure(exit))
      const defect = Cause.squash(exit.cause) as Error
      assert.deepInclude<object>(defect, { _tag: "StubInvalid", operation: "transactions.send" })
      assert.include(defect.message, `${status} is no refusal`)
    })
  )
})
