import { command } from "@effect-custody/cli/Command"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Redaction from "@effect-custody/core/Redaction"
import { ConfigProvider, Effect, Layer, Result } from "effect"
import { Command } from "effect/cli"
import { assert, describe, it } from "@effect/vitest"
import { custody, inDirectory, server } from "./custody.ts"
import { terminal } from "./terminal.ts"
import { endpoints } from "../../../packages/cli/src/internal/endpoints.ts"
import * as Report from "../../../packages/cli/src/internal/probeReport.ts"

const answered = (operation: string, result: unknown) =>
  Report.answered(endpoints.get(operation)!, result, { redact: Redaction.make([]) })

const wallet = { id: "w1", address: "0x1", extra: {} }

describe("what an answer says of its contract", () => {
  it("is nothing of a list without records", () => {
    const { missing, outcome, records, unused } = answered("wallets.list", { items: [], meta: undefined })
    assert.deepStrictEqual([outcome, records, missing, unused], ["answered", 0, [], []])
  })

  it("is what is missing in every record, what is not used, and what would place it", () => {
    const items = [wallet, { id: "w2", clientId: "alice", extra: { asset_id: "usdc", colour: "red" } }]
    const probed = answered("wallets.list", { items })
    assert.strictEqual(probed.records, 2)
    assert.notInclude(probed.missing, "clientId")
    assert.include(probed.missing, "assetId")
    assert.deepStrictEqual(probed.unused, ["asset_id", "colour"])
    assert.deepStrictEqual(probed.proposals, { assetId: "asset_id" })
  })

  it("tells a value that was dropped from a key that is not known", () => {
    const probed = answered("wallets.get", { ...wallet, extra: { balance: {}, tier: 1 } })
    assert.deepStrictEqual([probed.dropped, probed.unused], [["balance"], ["tier"]])
    assert.notInclude(probed.missing, "balance")
  })

  it("lists the first keys, each up to a limit", () => {
    const extra = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key ${at} ${"x".repeat(1_000)}`, 1]))
    const { unused } = answered("wallets.list", { items: [{ ...wallet, extra }] })
    assert.strictEqual(unused.length, 64)
    assert.isAtMost(Math.max(...unused.map((key) => key.length)), 129)
  })
})

it("a probe has the reads alone, those first that need nothing, and gives ids on", () => {
  const reads = Report.reads()
  assert.strictEqual(reads.length, 30)
  const needs = new Map(reads)
  assert.isFalse(needs.has("transactions.send"))
  assert.deepStrictEqual(
    reads.map(([, needed]) => needed.length),
    reads.map(([, needed]) => needed.length).toSorted((a, b) => a - b)
  )
  assert.deepStrictEqual([needs.get("wallets.balance"), needs.get("assets.prices")], [["walletId"], []])
  assert.deepStrictEqual(Report.idsIn("wallets.list", { items: [wallet] }), { walletId: "w1" })
  assert.deepStrictEqual(Report.idsIn("vaults.details", { id: "1" }), {})
})

it.effect("a probe without a service says which variables name one", () =>
  Effect.gen(function* () {
    const outcome = yield* Effect.result(Command.runWith(command, { version: "0" })(["contract", "probe", "--yes"]))
    assert(Result.isFailure(outcome))
    assert.include(JSON.stringify(outcome.failure), "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and")
  }).pipe(Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({}))]))
)

describe("a probe of an address of which nothing is known", () => {
  /** What a probe fails with. Where it begins, it is that it has no place for a session. */
  const probe = (baseUrl: string, args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const run = Command.runWith(command, { version: "0" })(["contract", "probe", ...args])
      const outcome = yield* Effect.result(run)
      assert(Result.isFailure(outcome))
      return JSON.stringify(outcome.failure)
    }).pipe(
      Effect.provide([
        Layer.provideMerge(terminal(""), NodeServices.layer),
        ConfigProvider.layer(ConfigProvider.fromUnknown({ CUSTODY_BASE_URL: baseUrl }))
      ])
    )

  const begins = "CUSTODY_SESSION_FILE: not set"
  const address = "https://acme.custody.example/api/integration"

  it.effect("needs more than --yes", () =>
    Effect.gen(function* () {
      for (const args of [["--yes"], ["--yes", "--json"]]) {
        const said = yield* probe(address, args)
        assert.include(said, `nothing shows whether ${address} is production`)
        assert.include(said, "use --not-production")
        assert.notInclude(said, begins)
      }
    })
  )

  it.effect("begins with --not-production", () =>
    Effect.gen(function* () {
      assert.include(yield* probe(address, ["--yes", "--not-production"]), begins)
    })
  )

  it.effect("asks nothing more about an emulator on this machine", () =>
    Effect.gen(function* () {
      assert.include(yield* probe("http://127.0.0.1:4010/api/integration", ["--yes"]), begins)
    })
  )

  it.effect("begins with no address that no token may be sent to", () =>
    Effect.gen(function* () {
      assert.include(yield* probe("custody.example", ["--yes", "--not-production"]), "must be an absolute URL")
    })
  )

  it.effect("--not-production does not overrule CUSTODY_ENVIRONMENT=production", () =>
    Effect.gen(function* () {
      const env = { CUSTODY_SUBDOMAIN: "acme", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }
      const run = Command.runWith(command, { version: "0" })(["contract", "probe", "--yes", "--not-production"])
      const outcome = yield* Effect.result(
        run.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
      )
      assert(Result.isFailure(outcome))
      assert.include(JSON.stringify(outcome.failure), "this environment is production")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a probe of a service whose keys hold secrets", () => {
  const accessToken = "eyJhbGciOiJIUzI1NiJ9.the-access-token-of-this-session.signature"
  const refreshToken = "the-refresh-token-of-this-session"
  const apiKey = "the-api-key-of-this-vault"
  const title = "\u001b]0;owned\u0007\u001b[2J"

  const hostile = server((request, response) => {
    const held = { accessToken, refreshToken, expiresAt: 4_102_444_800_000, vaultId: 1 }
    const secrets = [accessToken, refreshToken, apiKey]
    const keys = [...secrets, ...secrets.map((secret) => Buffer.from(secret).toString("base64")), `${title}colour`]
    const record = { externalId: "alice", ...Object.fromEntries(keys.map((key) => [key, "x"])) }
    const isStart = request.url?.includes("/auth/") === true
    response.writeHead(isStart ? 201 : 200, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ message: "ok", status: isStart ? 201 : 200, data: isStart ? held : [record], meta: {} })
    )
  })

  it.live("shows none of them, and no escapes, as lines and as JSON", () =>
    Effect.gen(function* () {
      const baseUrl = yield* hostile
      for (const flags of [[], ["--json"]]) {
        const { said } = yield* custody(["contract", "probe", "--yes", ...flags], {
          CUSTODY_BASE_URL: baseUrl,
          CUSTODY_API_KEY: apiKey,
          CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db`
        })
        assert.include(said, "colour")
        for (const secret of [accessToken, refreshToken, apiKey]) {
          assert.notInclude(said, secret)
          assert.notInclude(said, Buffer.from(secret).toString("base64"))
        }
        assert.include(said, "<redacted>")
        assert.notInclude(said, "\u001b")
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
