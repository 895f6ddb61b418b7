/** A refresh endpoint that takes its time: its one answer is waited for. */
import { TokenService } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { clientOf, details, refreshed, refusal, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { header, silence } from "../support/servers/wireServer.ts"

const refresh = "/api/integration/auth/refresh-token"

describe("a refresh behind calls", () => {
  const transport = { name: "undici", layer: NodeCustody.layerHttpClient({ connections: 1 }) }
  it.effect("58 · it has a connection of its own: calls that fill all others do not delay it", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* serverWithSession(({ target }) => {
        if (target === refresh) return refreshed(1)
        Deferred.doneUnsafe(arrived, Effect.void)
        return silence
      })
      const program = Effect.gen(function* () {
        yield* Effect.forkScoped(Effect.all([Vaults.details(), Vaults.details()], { concurrency: 2 }))
        yield* Deferred.await(arrived)
        const { rotate } = yield* TokenService
        assert.strictEqual((yield* rotate(0)).generation, 1)
      })
      yield* Effect.provide(program, clientOf(server, transport))
    })
  )
})

describe.each(transports)("a slow refresh over $name", (transport) => {
  for (const seconds of [40, 100]) {
    it.effect(`56 · an answer after ${seconds} seconds is the next session, and the token is sent once`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<() => void>()
        const server = yield* serverWithSession((request) => {
          if (request.target === refresh) {
            return (response) =>
              Deferred.doneUnsafe(
                asked,
                Effect.succeed(() => refreshed(1)(response))
              )
          }
          return header(request, "x-access-token")[0] === "access-1" ? details : refusal(498, "E01403", "expired")
        })
        const call = yield* Vaults.details().pipe(Effect.provide(clientOf(server, transport)), Effect.forkChild)
        const answer = yield* Deferred.await(asked)
        for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
        answer()
        assert.deepInclude<object>(yield* Fiber.join(call), { id: "42" })
        assert.strictEqual(server.received.filter(({ target }) => target === refresh).length, 1)
      })
    )
  }
})
