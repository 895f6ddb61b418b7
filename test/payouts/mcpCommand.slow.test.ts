/** `custody mcp` as a process, and a client that speaks to it over its standard input and output. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { McpClient, McpProtocol } from "effect/ai"
import { ChildProcess } from "effect/process"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../tools/workspace.ts"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const makePlace = Effect.gen(function* () {
  yield* Program.onboard("alice")
  const directory = yield* temporaryDirectory
  const env = { ...(yield* Program.environmentOf()), CUSTODY_SESSION_FILE: Path.join(directory, "session.db") }
  const run = (command: string) => Program.run([Program.custody, ...command.split(" ")], env, directory)
  const connect = Effect.fnUntraced(function* (
    args: string,
    protocol: McpProtocol.ProtocolAdapter<McpClient.ProtocolVersion>
  ) {
    const command = ChildProcess.make(process.execPath, [Program.custody, "mcp", ...args.split(" ")], {
      cwd: directory,
      env: { ...Program.inherited, ...env },
      extendEnv: false
    })
    const transport = yield* McpClient.stdio({ command, protocol })
    const client = yield* Effect.provideService(
      McpClient.make({ name: "agent", version: "1" }),
      McpClient.Transport,
      transport
    )
    const tools = new Map((yield* client.listTools()).map((tool) => [tool.name, tool]))
    const call = (name: string, given: Record<string, unknown>) =>
      Effect.map(
        client.callTool({ tool: tools.get(name)!, arguments: given }),
        ({ content, isError, structuredContent }) => (isError === true ? content[0] : structuredContent)
      )
    return { call, tools: [...tools.keys()] }
  })
  return { connect, run }
})

const onEmulator = Effect.provide([CustodyEmulator.layerServer(), NodeServices.layer], { local: true })

const order = { reference: "invoice-1", clientId: "alice", assetId: "usdc", to: "0xabc", amount: "12.50" }

const limits = "--max-sum usdc=20 --max-count 5"

describe("custody mcp", () => {
  it.live("an agent orders and reads, a person approves, and no one else pays", () =>
    Effect.gen(function* () {
      const { connect, run } = yield* makePlace
      const [batch, paid] = yield* Effect.gen(function* () {
        const { call } = yield* connect(limits, McpProtocol.v2025_11_25)
        const held = yield* call("submit_payout", order)
        assert.deepInclude(held, { ...order, state: "held" })
        assert.deepStrictEqual(yield* call("submit_payout", order), held)
        const over = yield* call("submit_payout", { ...order, reference: "invoice-2" })
        assert.include(JSON.stringify(over), "may have 20 usdc, and has 12.5 already")
        assert.deepNestedInclude(yield* call("wallets_list", { clientId: "alice", assetId: "usdc" }), {
          "items[0].balance": "1000"
        })
        const { batch } = held as { readonly batch: string }
        assert.match((yield* run("payouts run")).output, /1 held/)
        assert.strictEqual(yield* Program.sends, 0)
        const own = yield* run(`payouts approve ${batch} --by agent --yes`)
        assert.match(own.errors, /agent has submitted it/)
        const approved = yield* run(`payouts approve ${batch} --by bob --yes`)
        assert.match(approved.output, /alice +usdc +1 +12\.50\n[^]*1 payout approved/)
        assert.strictEqual((yield* run("payouts run")).code, 0)
        return [batch, yield* call("submit_payout", order)] as const
      }).pipe(Effect.scoped)
      assert.deepInclude(paid, { state: "paid", batch })
      assert.strictEqual(yield* Program.sends, 1)
      // Another process of another protocol shares the ledger.
      const { call } = yield* connect(limits, McpProtocol.v2026_07_28)
      assert.deepStrictEqual(yield* call("submit_payout", order), paid)
    }).pipe(onEmulator)
  )

  it.live(
    "standard output has the protocol alone, the log is on standard error, and the end of the input is no failure",
    () =>
      Effect.gen(function* () {
        const { run } = yield* makePlace
        const ended = yield* run(`mcp ${limits}`)
        assert.deepStrictEqual([ended.code, ended.output], [0, ""])
        assert.match(ended.errors, /INFO .*Agents may order payouts into ledger\.db, a new ledger/)
      }).pipe(onEmulator)
  )

  it.live("without limits an agent can only read, and half of the limits is a mistake", () =>
    Effect.gen(function* () {
      const { connect, run } = yield* makePlace
      const { tools } = yield* connect("--by agent", McpProtocol.v2025_11_25)
      assert.notInclude(tools, "submit_payout")
      assert.include(tools, "transactions_list")
      for (const half of ["--max-sum usdc=20", "--max-count 5"]) {
        const { code, errors, output } = yield* run(`mcp ${half}`)
        assert.deepStrictEqual([code, output], [1, ""])
        assert.match(errors, /give both --max-sum and --max-count, or neither/)
      }
      for (const wrong of [
        "--max-sum usdc=-1 --max-count 5",
        "--max-sum usdc --max-count 5",
        "--max-sum usdc=1 --max-sum usdc=2 --max-count 5",
        "--max-sum usdc=20 --max-count 0"
      ]) {
        assert.strictEqual((yield* run(`mcp ${wrong}`)).code, 1)
      }
    }).pipe(onEmulator)
  )

  it.live("the configuration that the recipe shows starts a server, and its batch is the one to approve", () =>
    Effect.gen(function* () {
      const { connect, run } = yield* makePlace
      const page = readFileSync(Path.join(root, "docs/recipes/agents.md"), "utf8")
      const json = JSON.parse(/^```json\n([^]*?)^```$/m.exec(page)![1]!)
      const { args, command: program }: { args: ReadonlyArray<string>; command: string } = json.mcpServers.custody
      assert.deepStrictEqual([Path.basename(program), args[0]], ["custody", "mcp"])
      const { call, tools } = yield* connect(args.slice(1).join(" ").replace("/srv/pay/", ""), McpProtocol.v2025_11_25)
      assert.include(tools, "submit_payout")
      yield* call("submit_payout", order)
      const [, command = ""] = /^npx -p @effect-custody\/cli custody (payouts approve .+)$/m.exec(page)!
      const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
      const approved = yield* run(`${command.replace(/\d{4}-\d\d-\d\d/, today)} --by bob --yes`)
      assert.match(approved.output, /1 payout approved/, approved.errors)
    }).pipe(onEmulator)
  )

  it.live.skipIf(!hasPostgres)("custody mcp keeps its orders in PostgreSQL, and never shows the password", () =>
    Effect.gen(function* () {
      const url = yield* Effect.flatMap(postgresServer, emptyDatabase)
      const { connect, run } = yield* makePlace
      const { call } = yield* connect(`${limits} --database-url ${url}`, McpProtocol.v2025_11_25)
      assert.deepInclude(yield* call("submit_payout", order), { state: "held" })
      const { errors } = yield* run(`mcp ${limits} --database-url ${url}`)
      assert.match(errors, /into 127\.0\.0\.1:\d+\/custody_\w+/)
      assert.notInclude(errors, `:${new URL(url).password}@`)
    }).pipe(onEmulator)
  )
})
