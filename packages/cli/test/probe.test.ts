import { command } from "@effect-custody/cli/Command"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import { TokenStore } from "@effect-custody/authentication"
import type { ContractFile } from "@effect-custody/contract"
import { Amount, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, Transactions } from "@effect-custody/sdk"
import { ConfigProvider, Effect, FileSystem, Layer, Redacted, Result } from "effect"
import * as Path from "node:path"
import { Command } from "effect/cli"
import { assert, describe, it } from "@effect/vitest"
import { custody, inDirectory, server } from "./runCustody.ts"
import { endpoints } from "../src/service/endpoints.ts"
import * as Report from "../src/contract/probeReport.ts"

const answered = (operation: string, result: unknown) =>
  Report.answered(endpoints.get(operation)!, result, { redact: Redaction.make([]) })

const wallet = { id: "w1", address: "0x1", extra: {} }

describe("the report of a probe", () => {
  it("a list without records shows no missing or unused key", () => {
    const { missing, outcome, records, unused } = answered("wallets.list", { items: [], meta: undefined })
    assert.deepStrictEqual([outcome, records, missing, unused], ["answered", 0, [], []])
  })

  it("a list shows the missing fields and the unused keys", () => {
    const items = [wallet, { id: "w2", clientId: "alice", extra: { asset_id: "usdc", colour: "red" } }]
    const probed = answered("wallets.list", { items })
    assert.strictEqual(probed.records, 2)
    assert.notInclude(probed.missing, "clientId")
    assert.include(probed.missing, "assetId")
    assert.deepStrictEqual(probed.unused, ["asset_id", "colour"])
  })

  it("the report tells a dropped value from an unknown key", () => {
    const probed = answered("wallets.get", { ...wallet, extra: { balance: {}, tier: 1 } })
    assert.deepStrictEqual([probed.dropped, probed.unused], [["balance (1)"], ["tier"]])
    assert.notInclude(probed.missing, "balance")
  })

  it("the report shortens the list of keys and each key", () => {
    const extra = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key ${at} ${"x".repeat(1_000)}`, 1]))
    const { unused } = answered("wallets.list", { items: [{ ...wallet, extra }] })
    assert.strictEqual(unused.length, 64)
    assert.isAtMost(Math.max(...unused.map((key) => key.length)), 129)
  })
})

it("a probe calls only reads, begins with those that need no id, and collects ids", () => {
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

it.each<readonly [pages: ReadonlyArray<ReadonlyArray<string>>, objection: string | undefined]>([
  [[["a"], ["b"]], undefined],
  [[["a", "b"]], "a page with the limit 1 has 2 rows"],
  [[["b"], ["c"]], "page 1 does not have the first row of the list"],
  [[["a"]], "page 2 does not have the next row"],
  [[["a"], ["c"]], "page 2 does not have the next row"],
  [[[]], "page 1 does not have the first row of the list"]
])("of a list that begins with a and b, the pages %j say %s", (pages, objection) => {
  const read = pages.map((ids) => ({ items: ids.map((id) => ({ id })), meta: undefined }))
  assert.strictEqual(Report.pagingObjection(["a", "b"], read), objection)
})

const address = "https://acme.custody.example/api/integration"
/** The error of a probe that passed all checks: it has no session file. */
const noSessionFile = "CUSTODY_SESSION_FILE: not set"
const production = { CUSTODY_SUBDOMAIN: "acme", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }

const cases: ReadonlyArray<readonly [env: object, args: ReadonlyArray<string>, said: string]> = [
  [{}, [], "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and"],
  [{ CUSTODY_BASE_URL: address }, [], `nothing shows whether ${address} is production: use --not-production`],
  [{ CUSTODY_BASE_URL: address }, ["--json"], `nothing shows whether ${address} is production: use --not-production`],
  [{ CUSTODY_BASE_URL: address }, ["--not-production"], noSessionFile],
  [{ CUSTODY_BASE_URL: "http://127.0.0.1:4010/api/integration" }, [], noSessionFile],
  [{ CUSTODY_BASE_URL: "custody.example" }, ["--not-production"], "must be an absolute URL"],
  [production, ["--not-production"], "this environment is production"]
]
it.effect.each(cases)('a probe with the environment %j and the arguments %j fails with "%s"', ([env, args, said]) =>
  Effect.gen(function* () {
    const run = Command.runWith(command, { version: "0" })(["contract", "probe", "--yes", ...args])
    const outcome = yield* Effect.result(run)
    assert(Result.isFailure(outcome))
    assert.include(JSON.stringify(outcome.failure), said)
  }).pipe(Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(env))]))
)

it.live("a probe without a session writes no failure into the contract", () =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const directory = yield* inDirectory
    const file = `${directory}/contract.json`
    yield* fileSystem.writeFileString(file, '{"operations":{"clients.list":true}}')
    const { fails, said } = yield* custody(["contract", "probe", "--yes"], {
      CUSTODY_BASE_URL: "http://127.0.0.1:9/api",
      CUSTODY_CONTRACT_FILE: file,
      CUSTODY_SESSION_FILE: `${directory}/session.db`
    })
    assert.isTrue(fails)
    assert.match(said, /clients\.list +failed +NoSession/)
    assert.deepStrictEqual(JSON.parse(yield* fileSystem.readFileString(file)).operations, { "clients.list": true })
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

describe("a probe of a service whose keys hold secrets", () => {
  const accessToken = "eyJhbGciOiJIUzI1NiJ9.the-access-token-of-this-session.signature"
  const refreshToken = "the-refresh-token-of-this-session"
  const apiKey = "the-api-key-of-this-vault"
  const title = "\u001b]0;owned\u0007\u001b[2J"

  const hostile = server((request, response) => {
    const held = { accessToken, refreshToken, expiresAt: 4_102_444_800_000, vaultId: 1 }
    const secrets = [accessToken, refreshToken, apiKey]
    const keys = [...secrets, ...secrets.map((secret) => encodeURIComponent(secret.toUpperCase())), `${title}colour`]
    const record = { externalId: "alice", ...Object.fromEntries(keys.map((key) => [key, "x"])) }
    const isStart = request.url?.includes("/auth/") === true
    response.writeHead(isStart ? 201 : 200, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ message: "ok", status: isStart ? 201 : 200, data: isStart ? held : [record], meta: {} })
    )
  })

  it.live("a probe shows no secret and no control character, as lines and as JSON", () =>
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
          assert.notInclude(said, encodeURIComponent(secret.toUpperCase()))
        }
        assert.include(said, "<redacted>")
        assert.notInclude(said, "\u001b")
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("a probe of a service with records", () => {
  const fill = Effect.gen(function* () {
    const { fund, issueApiKey } = yield* CustodyEmulator
    yield* Effect.gen(function* () {
      for (const id of ["alice", "bob"]) {
        yield* Clients.create({ id })
        yield* fund({ clientId: id, assetId: "usdc", amount: Amount.of("10") })
      }
      const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("1") }
      yield* Transactions.transfer(transfer)
    }).pipe(
      Effect.provide(
        Custody.layer({
          environment: Environment.local((yield* CustodyEmulator).baseUrl),
          apiKey: yield* issueApiKey()
        }).pipe(Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()]))
      )
    )
    return yield* issueApiKey()
  })

  /** Probes the emulator with a contract. Returns the output and the contract afterwards. */
  const probed = Effect.fnUntraced(function* (contract: ContractFile.File, change: ContractFile.File = contract) {
    const { baseUrl } = yield* CustodyEmulator
    const apiKey = yield* fill
    const directory = yield* inDirectory
    const fileSystem = yield* FileSystem.FileSystem
    const file = `${directory}/contract.json`
    yield* fileSystem.writeFileString(file, JSON.stringify(change))
    const { said } = yield* custody(["contract", "probe", "--yes"], {
      CUSTODY_BASE_URL: baseUrl,
      CUSTODY_API_KEY: Redacted.value(apiKey),
      CUSTODY_CONTRACT_FILE: file,
      CUSTODY_SESSION_FILE: `${directory}/session.db`
    })
    const after: ContractFile.File = JSON.parse(yield* fileSystem.readFileString(file))
    return { said, after }
  })

  const here = Effect.provide(Layer.mergeAll(NodeServices.layer, Layer.fresh(CustodyEmulator.layerServer())))

  it.live("a probe proves the filters whose row comes back, and writes them into the contract", () =>
    Effect.gen(function* () {
      const { after, said } = yield* probed({
        operations: { "transactions.list": true, "assets.prices": true, "wallets.list": true }
      })
      assert.deepStrictEqual(after.operations!["assets.prices"], { proven: ["assetIds"] })
      assert.include(said, "clients.list: page 2 has the next row")
      const { proven } = after.operations!["transactions.list"] as ContractFile.Differences
      assert.includeMembers([...proven!], ["clientId", "assetId", "type", "status", "from", "to"])
      const wallets = after.operations!["wallets.list"] as ContractFile.Differences
      assert.deepStrictEqual(wallets.proven, ["clientId", "assetId", "networkId"])
      assert.include(said, "proven: clientId")
      assert.notInclude(said, "a path that does not exist")
    }).pipe(Effect.scoped, here)
  )

  it.live("a probe does not prove a filter that the service ignores, and shows a wrong place of it", () =>
    Effect.gen(function* () {
      const { after, said } = yield* probed({
        operations: {
          "transactions.list": { fields: { clientId: "client", type: { values: { INCOMING: "OUTGOING" } } } },
          "assets.prices": { fields: { assetIds: { explode: false } } }
        }
      })
      assert.notProperty(after.operations!["assets.prices"], "proven")
      assert.match(said, /unproven: assetIds/)
      const { proven = [] } = after.operations!["transactions.list"] as ContractFile.Differences
      assert.notIncludeMembers([...proven], ["clientId"])
      assert.match(said, /unproven: .*clientId/)
    }).pipe(Effect.scoped, here)
  )

  it.live.each<readonly [ContractFile.Defaults["paging"], string]>([
    [{ style: "page", page: "p" }, "clients.list: ValidationFailed: "],
    ["none", "no list with pages has shown two rows"]
  ])("a probe with the paging %j says that paging is unconfirmed", ([paging, message]) =>
    Effect.gen(function* () {
      const { said } = yield* probed({ defaults: { paging: paging! } })
      assert.match(said, /look: paging is unconfirmed; /)
      assert.include(said.slice(said.indexOf("paging is unconfirmed")), message)
    }).pipe(Effect.scoped, here)
  )

  it.live.each<readonly [ContractFile.Defaults["errors"], string]>([
    [{ code: "status", tags: { 404: "NotFound" } }, "a path that does not exist looks like a record that does not"],
    [{ code: "status" }, "a client that does not exist gives UnexpectedResponse"]
  ])("a probe with the errors %j tells whether an absence is certain", ([errors, message]) =>
    Effect.gen(function* () {
      const { said } = yield* probed({ defaults: { errors: errors! } })
      assert.include(said, message)
    }).pipe(Effect.scoped, here)
  )
})

it.live("the commands read a contract in code, with its operations", () =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const file = Path.resolve(import.meta.dirname, `contract-in-code-${process.pid}.ts`)
    yield* Effect.acquireRelease(
      fileSystem.writeFileString(
        file,
        `import { Wire } from "@effect-custody/contract"
import { Tokens } from "@effect-custody/sdk"
const mint = Wire.make(Tokens.mint, { route: "POST /supply", request: { write: () => ({}), read: () => ({}) } })
export default { defaults: { prefix: "/v2" }, operations: { "wallets.get": true, "tokens.mint": mint } }
`
      ),
      () => Effect.ignore(fileSystem.remove(file))
    )
    const check = yield* custody(["contract", "check", file])
    assert.isFalse(check.fails)
    assert.include(check.said, "it is UnknownApiError")
    assert.match(check.said, /tokens\.mint +POST +\/v2\/supply +confirmed with differences +code/)
    yield* fileSystem.writeFileString(`${file}.mts`, `export default { operations: { "walet.get": true } }`)
    const wrong = yield* custody(["contract", "check", `${file}.mts`])
    yield* fileSystem.remove(`${file}.mts`)
    assert.isTrue(wrong.fails)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
