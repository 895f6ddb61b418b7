/** `CUSTODY_CONTRACT_FILE` of a program that `NodeCustody.layerConfig` configures. */
import { Adapter } from "@effect-custody/contract"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { details, generated } from "../../../../test/support/clients/wireClient.ts"
import { temporaryDirectory } from "../../../../test/support/servers/sqlitePlace.ts"
import { json, wireServer } from "../../../../test/support/servers/wireServer.ts"

/** A service with the exchange of a key, and the vault. */
const service = wireServer(({ target }) => (target.includes("/auth/") ? generated : details))

const configured = (env: Record<string, string>) =>
  Layer.fresh(NodeCustody.layerConfig()).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))

it.live("a configuration with a contract file is refused if the program provides a contract too", () =>
  Effect.gen(function* () {
    const server = yield* service
    const directory = yield* temporaryDirectory
    const file = Path.join(directory, "custody.contract.mjs")
    Fs.writeFileSync(file, "export default undefined")
    const env = {
      CUSTODY_BASE_URL: server.baseUrl,
      CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
      CUSTODY_API_KEY: "one-time"
    }
    const inCode = (env: Record<string, string>) => Layer.provide(configured(env), Adapter.acceptAssumed)
    const both = inCode({ ...env, CUSTODY_CONTRACT_FILE: file })
    const error = yield* Effect.flip(Effect.provide(Vaults.details(), both))
    assert.strictEqual(
      error.message,
      "CUSTODY_CONTRACT_FILE: set, and the program gives a contract of its own: it is not certain which is meant. Keep " +
        "one or the other"
    )
    assert.strictEqual(server.connections(), 0)
    assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), inCode(env)), { id: "42" })
  })
)

it.live("the contract file of a configuration is checked before the client sends anything", () =>
  Effect.gen(function* () {
    const server = yield* wireServer(({ target }) =>
      target.includes("/auth/") ? generated : json(200, { vault: { uid: "42" } })
    )
    const directory = yield* temporaryDirectory
    const file = Path.join(import.meta.dirname, "contracts", "details.ts")
    const env = {
      CUSTODY_BASE_URL: server.baseUrl,
      CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
      CUSTODY_API_KEY: "one-time-api-key",
      CUSTODY_CONTRACT_FILE: file
    }
    assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), configured(env)), { id: "42" })
    assert.isTrue(server.received.at(-1)!.target.endsWith("/v2/vault"))

    const before = server.received.length
    const refused = (name: string, text: string) =>
      Effect.gen(function* () {
        const wrong = Path.join(directory, name)
        Fs.writeFileSync(wrong, text)
        const error = yield* Effect.flip(
          Effect.provide(Vaults.details(), configured({ ...env, CUSTODY_CONTRACT_FILE: wrong }))
        )
        assert(error._tag === "ConfigurationInvalid")
        assert.strictEqual(error.option, "CUSTODY_CONTRACT_FILE")
        return error.reason
      })
    assert.include(yield* refused("none.mjs", "export default { operations: {} }"), "must export a layer of adapters")
    assert.include(yield* refused("wrong.mjs", "export default ("), "wrong.mjs: ")
    assert.strictEqual(server.received.length, before)
  })
)
