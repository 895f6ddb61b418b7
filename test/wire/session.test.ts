import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  account,
  against,
  details,
  exchanged,
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
  it.live("a 498 counts as an expired token without a code, without a body, and with another code", () =>
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

  it.live("each refresh sends the token of the last refresh, and never a token twice", () =>
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

  it.live("200 concurrent calls that all get 498 cause exactly one refresh, and all succeed", () =>
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

  it.live("a refused refresh (E01402) ends this call and the next with SessionLost, and the next sends nothing", () =>
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

  it.live("a call with a 401 on a new token is repeated once after a second, rotates nothing, and fails", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => refusal(401, "E01401", "Invalid access token"))
      const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
      assert.deepInclude<object>(error, { _tag: "InvalidAccessToken", code: "E01401" })
      assert.deepStrictEqual(account(server.received), [exchanged, read("access-0"), read("access-0")])
    })
  )

  const away: ReadonlyArray<readonly [string, string, Answer]> = [
    ["is throttled", "Throttled", json(429, { message: "Slower" })],
    ["has another address", "Rejected", json(404, { message: "No such page" })]
  ]
  it.live.each(away)(
    "a first start that %s fails with RefreshUnavailable, and does not spend the key",
    ([, phase, answer]) =>
      Effect.gen(function* () {
        const server = yield* wireServer(() => answer)
        const error = yield* against(Effect.succeed(server), transport, () => Effect.flip(Vaults.details()))
        assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase })
        assert.include(error.message, "the API key could not be exchanged")
        assert.deepStrictEqual(account(server.received), [exchanged])
      })
  )
})
