import { TokenService } from "@effect-custody/core"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import {
  account,
  against,
  details,
  exchanged,
  generated,
  refreshed,
  refusal,
  serverWithSession,
  transports
} from "../support/clients/wireClient.ts"
import { type Answer, json, type Received, text, wireServer } from "../support/servers/wireServer.ts"

const expired = (code = "E40003") => refusal(498, code, "Token has expired")
const read = (token: string) => `GET /api/integration/vaults/details ${token}`
const refresh = (token: string) => `POST /api/integration/auth/refresh-token {"refreshToken":"${token}"}`

const tokenOf = (request: Received) => request.headers.find(([name]) => name.toLowerCase() === "x-access-token")?.[1]

/** A service whose access token of `generation` is good, and every older one expired. */
const rotating = (generation: () => number, answer: Answer = details) => {
  let issued = 0
  return serverWithSession((request) => {
    if (request.target.endsWith("/auth/refresh-token")) return refreshed(++issued)
    return tokenOf(request) === `access-${generation()}` ? answer : expired()
  })
}

describe.each(transports)("the session over $name", (transport) => {
  for (const code of ["E01403", "E40003"]) {
    it.live(`a 498 with ${code} causes one refresh, and the call goes once more with the new token`, () =>
      Effect.gen(function* () {
        const server = yield* serverWithSession((request, nth) =>
          nth === 0 ? expired(code) : nth === 1 ? refreshed(1) : details
        )
        const vault = yield* against(Effect.succeed(server), transport, () => Vaults.details())
        assert.deepInclude<object>(vault, { id: "42" })
        assert.deepStrictEqual(account(server.received), [
          exchanged,
          read("access-0"),
          refresh("refresh-0"),
          read("access-1")
        ])
      })
    )
  }

  it.live("a 498 without a code, without a body, or with a code of another meaning is a 498", () =>
    Effect.gen(function* () {
      for (const answer of [
        json(498, { status: 498, message: "expired" }),
        text(498, "text/html", ""),
        expired("E99999")
      ]) {
        const server = yield* serverWithSession((_, nth) => (nth === 0 ? answer : nth === 1 ? refreshed(1) : details))
        yield* against(Effect.succeed(server), transport, () => Vaults.details())
        assert.deepStrictEqual(account(server.received), [
          exchanged,
          read("access-0"),
          refresh("refresh-0"),
          read("access-1")
        ])
      }
    })
  )

  it.live("each refresh sends the token of the last one, and never one twice", () =>
    Effect.gen(function* () {
      let generation = 0
      const server = yield* rotating(() => generation)
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          for (generation = 0; generation < 4; generation++) yield* Vaults.details()
        })
      )
      assert.deepStrictEqual(account(server.received), [
        exchanged,
        read("access-0"),
        ...[1, 2, 3].flatMap((next) => [
          read(`access-${next - 1}`),
          refresh(`refresh-${next - 1}`),
          read(`access-${next}`)
        ])
      ])
    })
  )

  it.live("20 · a replay that gets 498 again causes one more rotation, and then the error is reported", () =>
    Effect.gen(function* () {
      const server = yield* rotating(() => 99)
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
      assert.deepInclude<object>(error, { _tag: "TokenExpired", code: "E40003", status: 498 })
      assert.deepStrictEqual(account(server.received), [
        exchanged,
        read("access-0"),
        refresh("refresh-0"),
        read("access-1"),
        refresh("refresh-1"),
        read("access-2")
      ])
    })
  )

  it.live("11 · 200 concurrent calls that all get 498 cause exactly one refresh, and all succeed", () =>
    Effect.gen(function* () {
      // Nobody is told before fifty have asked.
      const waiting: Array<() => void> = []
      const whenFiftyHaveAsked: Answer = (response) => {
        waiting.push(() => expired()(response))
        if (waiting.length === 50) for (const answer of waiting.splice(0)) answer()
      }
      const server = yield* serverWithSession((request) =>
        request.target.endsWith("/auth/refresh-token")
          ? refreshed(1)
          : tokenOf(request) === "access-0"
            ? whenFiftyHaveAsked
            : details
      )
      const vaults = yield* against(Effect.succeed(server), transport, () =>
        Effect.all(
          Array.from({ length: 200 }, () => Vaults.details()),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(vaults.length, 200)
      const lines = account(server.received)
      assert.strictEqual(lines.filter((line) => line === refresh("refresh-0")).length, 1)
      assert.strictEqual(lines.filter((line) => line === read("access-1")).length, 200)
      assert.strictEqual(lines.filter((line) => line.includes("/auth/")).length, 2)
    })
  )

  it.live("12 · a 498 for a token that has been replaced meanwhile causes no refresh, only the replay", () =>
    Effect.gen(function* () {
      let answerLate: (() => void) | undefined
      const arrived = yield* Deferred.make<void>()
      const server = yield* serverWithSession((request, nth) => {
        if (request.target.endsWith("/auth/refresh-token")) return refreshed(1)
        if (tokenOf(request) !== "access-0") return details
        if (nth > 0) return expired()
        return (response) => {
          answerLate = () => expired()(response)
          Deferred.doneUnsafe(arrived, Effect.void)
        }
      })
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const slow = yield* Effect.forkChild(Vaults.details())
          yield* Deferred.await(arrived)
          yield* Vaults.details()
          answerLate?.()
          assert.deepInclude<object>(yield* Fiber.join(slow), { id: "42" })
        })
      )
      assert.deepStrictEqual(account(server.received), [
        exchanged,
        read("access-0"),
        read("access-0"),
        refresh("refresh-0"),
        read("access-1"),
        read("access-1")
      ])
    })
  )

  it.live("a refresh that is refused with E01402 is SessionLost for this call and the next, which sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession((request) =>
        request.target.endsWith("/auth/refresh-token") ? refusal(401, "E01402", "Invalid refresh token") : expired()
      )
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const first = yield* Effect.flip(Vaults.details())
          assert.deepInclude<object>(first, { _tag: "SessionLost", generation: 0 })
          const second = yield* Effect.flip(Vaults.details())
          assert.strictEqual(second._tag, "SessionLost")
        })
      )
      assert.deepStrictEqual(account(server.received), [exchanged, read("access-0"), refresh("refresh-0")])
    })
  )

  it.live("a refresh that gets a 422 is StoredSessionInvalid, and is not tried again", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession((request) =>
        request.target.endsWith("/auth/refresh-token") ? refusal(422, "E00402", "Validation error") : expired()
      )
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
      assert.strictEqual(error._tag, "StoredSessionInvalid")
      assert.deepStrictEqual(account(server.received), [exchanged, read("access-0"), refresh("refresh-0")])
    })
  )

  for (const code of ["E01401", "E40001"]) {
    it.live(
      `39 · a 401 with ${code} on a new token is tried once more a second later, rotates nothing, and is told`,
      () =>
        Effect.gen(function* () {
          const server = yield* serverWithSession(() => refusal(401, code, "Invalid access token"))
          const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
          assert.deepInclude<object>(error, { _tag: "InvalidAccessToken", code })
          assert.deepStrictEqual(account(server.received), [exchanged, read("access-0"), read("access-0")])
        })
    )
  }

  it.live("a key that the service refuses is NoSession, and is never sent again", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => refusal(400, "E00401", "Invalid API key"))
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Vaults.details())
          assert.deepInclude<object>(error, { _tag: "NoSession", code: "E00401" })
          assert.include(error.message, "CUSTODY_API_KEY")
          assert.strictEqual((yield* Effect.flip(Vaults.details()))._tag, "NoSession")
        })
      )
      assert.deepStrictEqual(account(server.received), [exchanged])
    })
  )

  it.live("a key that the service calls malformed is NoSession with its code", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => refusal(422, "E00402", "Validation error"))
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
      assert.deepInclude<object>(error, { _tag: "NoSession", code: "E00402" })
    })
  )

  const away: ReadonlyArray<readonly [string, string, Answer]> = [
    ["is throttled", "Throttled", json(429, { message: "Slower" })],
    ["has another address", "Rejected", json(404, { message: "No such page" })]
  ]
  it.live.each(away)("a first start that %s is RefreshUnavailable: the key is not spent", ([, phase, answer]) =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => answer)
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase })
      assert.include(error.message, "the API key could not be exchanged")
      assert.deepStrictEqual(account(server.received), [exchanged])
    })
  )

  it.live("a first start that nobody listens to is RefreshUnavailable, and was not sent", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(wireServer(() => details))
      const error = yield* against(Effect.succeed(gone), transport, () => Effect.flip(Vaults.details()))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "NotSent" })
      assert.include(error.message, "Nothing was spent")
    })
  )

  it.live("the session says how it is", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => details)
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const tokens = yield* TokenService
          assert.strictEqual((yield* tokens.status).state, "none")
          const { generation, value } = yield* tokens.current
          assert.deepStrictEqual([generation, Redacted.value(value)], [0, "access-0"])
          assert.deepInclude(yield* tokens.status, { state: "serving", vaultId: Option.some(42) })
        })
      )
    })
  )

  it.live("14 · a caller that goes away while the key is exchanged costs no token: the next call has it", () =>
    Effect.gen(function* () {
      let answerLate: (() => void) | undefined
      const arrived = yield* Deferred.make<void>()
      const server = yield* wireServer((request) => {
        if (request.target.endsWith("/vaults/details")) return details
        return (response) => {
          answerLate = () => generated(response)
          Deferred.doneUnsafe(arrived, Effect.void)
        }
      })
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const caller = yield* Effect.forkChild(Vaults.details())
          yield* Deferred.await(arrived)
          yield* Fiber.interrupt(caller)
          answerLate?.()
          assert.deepInclude<object>(yield* Vaults.details(), { id: "42" })
        })
      )
      assert.deepStrictEqual(account(server.received), [exchanged, read("access-0")])
    })
  )
})
