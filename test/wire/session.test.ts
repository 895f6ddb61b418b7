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
import { type Answer, json, type Received, text } from "../support/servers/wireServer.ts"

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
})
