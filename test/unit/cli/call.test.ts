/** `--contract` is the only contract of a command, whatever `CUSTODY_CONTRACT_FILE` names. */
import { command } from "@effect-custody/cli/Command"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import { Command } from "effect/cli"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { generated } from "../../support/clients/wireClient.ts"
import { json, wireServer } from "../../support/servers/wireServer.ts"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"

const reviewed = { defaults: { prefix: "/v2" }, operations: { "vaults.details": true, "wallets.get": true } }
const confirmed = {
  defaults: { prefix: "/v9" },
  operations: {
    "vaults.details": true,
    "wallets.get": { path: "/purses/:walletId" },
    "transactions.send": { path: "/payouts", fields: { amount: { as: { minor: 6 } } } }
  }
}

/** A command with `--contract reviewed.json`, in an environment that names confirmed.json. */
const custody = Effect.fnUntraced(function* (env: Record<string, string>, ...texts: ReadonlyArray<string>) {
  const directory = yield* temporaryDirectory
  const written = (name: string, content: object) => {
    Fs.writeFileSync(Path.join(directory, name), JSON.stringify(content))
    return Path.join(directory, name)
  }
  const config = ConfigProvider.fromEnv({
    env: {
      ...env,
      CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
      CUSTODY_CONTRACT_FILE: written("confirmed.json", confirmed)
    }
  })
  return yield* Effect.result(
    Command.runWith(command, { version: "0" })([...texts, "--contract", written("reviewed.json", reviewed), "--yes"])
  ).pipe(Effect.provide([NodeServices.layer, ConfigProvider.layer(config)]))
})

describe("--contract", () => {
  it.live("confirms alone: what CUSTODY_CONTRACT_FILE confirms is refused", () =>
    Effect.gen(function* () {
      const env = { CUSTODY_SUBDOMAIN: "acme", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }
      const send = ["clientId=alice", "assetId=usdc", "to=0x52908400098527886E0F7030069857D2E4169EE7", "amount=12.50"]
      const outcome = yield* custody(env, "call", "transactions.send", ...send)
      assert(Result.isFailure(outcome))
      assert.include(JSON.stringify(outcome.failure), "UnconfirmedEndpoint")
      assert.include(JSON.stringify(outcome.failure), "POST /v2/transactions/send")
    })
  )

  const commands: ReadonlyArray<readonly [name: string, texts: ReadonlyArray<string>]> = [
    ["a call", ["call", "vaults.details"]],
    ["a probe", ["contract", "probe", "--budget", "3", "--with", "walletId=w-1"]]
  ]
  it.live.each(commands)("has the wire of %s, and that of its session", ([, texts]) =>
    Effect.gen(function* () {
      const server = yield* wireServer(({ target }) =>
        target.includes("/auth/") ? generated : json(200, { message: "", data: { id: "42" }, status: 200 })
      )
      yield* custody({ CUSTODY_BASE_URL: server.baseUrl, CUSTODY_API_KEY: "one-time-api-key" }, ...texts)
      const targets = server.received.map(({ target }) => new URL(target, server.origin).pathname)
      assert.isAtLeast(targets.length, 2)
      assert.deepStrictEqual(
        targets.filter((target) => !target.startsWith("/api/integration/v2/")),
        []
      )
    })
  )
})
