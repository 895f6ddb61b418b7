import { TokenService } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { clientOf, refreshed, serverWithSession } from "../support/clients/wireClient.ts"
import { silence } from "../support/servers/wireServer.ts"

const refresh = "/api/integration/auth/refresh-token"

describe("a refresh while calls fill all connections", () => {
  const transport = { name: "undici", layer: NodeCustody.layerHttpClient({ connections: 1 }) }
  it.effect("a refresh has its own connection, so calls do not delay it", () =>
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
