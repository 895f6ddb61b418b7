import { Amount } from "@effect-custody/core"
import { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { Clients, Transactions } from "@effect-custody/sdk"
import * as Operations from "@effect-custody/sdk/Operations"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { McpTest } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ReadTools from "../src/mcp/readTools.ts"
import { protocols } from "../src/mcp/server.ts"
import * as SubmitPayout from "../src/mcp/submitPayout.ts"

const limits = { by: "agent", atMost: { payouts: 3, sums: { usdc: Amount.of("20") } } }

const tools = Layer.merge(ReadTools.layer, SubmitPayout.layer(limits))

const connect = (protocolVersion?: (typeof protocols)[number]["protocolVersion"]) =>
  Effect.map(McpTest.makeClient(tools, { protocols, protocolVersion }), (client) => ({
    ...client,
    call: (name: string, args: Record<string, unknown> = {}) =>
      Effect.map(client.callTool({ name, arguments: args }), ({ content: [first], isError, structuredContent }) => ({
        isError,
        text: first?.type === "text" ? first.text : "",
        structuredContent
      }))
  }))

const ledger = Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: ":memory:" })))

const onEmulator = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provide(test, Layer.merge(CustodyEmulator.layer, ledger), { local: true })

const order = { reference: "invoice-1", clientId: "alice", assetId: "usdc", to: "0xabc", amount: "12.50" }

describe("the tools of custody mcp", () => {
  it.effect("the tools are every read of the API, and submit_payout, which takes an order and nothing else", () =>
    Effect.gen(function* () {
      const { listTools } = yield* connect()
      const { tools } = yield* listTools()
      const reads = [...Operations.functions.values()].filter(({ safety }) => safety === "read")
      assert.deepStrictEqual(
        tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
        reads.map(({ operation }) => operation.replace(".", "_"))
      )
      const [write, ...others] = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
      assert.lengthOf(others, 0)
      assert.deepInclude(write, { name: "submit_payout" })
      assert.deepInclude(write?.annotations, { destructiveHint: false, idempotentHint: true })
      assert.deepStrictEqual(Object.keys(write?.inputSchema["properties"] as object), [
        "reference",
        "clientId",
        "assetId",
        "to",
        "amount",
        "networkId",
        "note"
      ])
      for (const { description, inputSchema, name } of tools) {
        assert.match(name, /^[\w-]{1,64}$/)
        assert.isNotEmpty(description)
        assert.isFalse(inputSchema["additionalProperties"], name)
      }
    }).pipe(onEmulator)
  )

  it.effect("a read answers what the endpoint returns, and fails with the tag and the message of its error", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
      const { call } = yield* connect()
      const { structuredContent } = yield* call("wallets_list", { clientId: "alice", assetId: "usdc" })
      assert.deepNestedInclude(structuredContent, { "items[0].balance": "1000", "items[0].assetId": "usdc" })
      assert.deepInclude((yield* call("vaults_details")).structuredContent, { type: "SEGREGATED" })
      // The older protocols have no structured lists.
      const missing = yield* call("transactions_get", { transactionId: "none" })
      assert.isTrue(missing.isError)
      assert.deepInclude(JSON.parse(missing.text), { error: "NotFound" })
      assert.match(JSON.parse(missing.text).message, /^transactions\.get: HTTP 404/)
      assert.match(
        (yield* call("wallets_list", { clientID: "alice" })).text,
        /no excess property\n {2}at \["clientID"\]/
      )
    }).pipe(onEmulator)
  )

  it.effect("no answer of a read has a secret of the session", () =>
    Effect.gen(function* () {
      const { call, listTools } = yield* connect()
      const said: Array<string> = []
      for (const { name } of (yield* listTools()).tools) said.push((yield* call(name)).text)
      const secrets = yield* Effect.flatMap(TokenService, (service) => service.secrets)
      assert.isNotEmpty(secrets)
      for (const secret of secrets) assert.notInclude(said.join("\n"), Redacted.value(secret))
    }).pipe(onEmulator)
  )

  it.effect("an answer that repeats a secret of the session is not shown", () =>
    Effect.gen(function* () {
      const repeated = "an-access-token-as-a-name"
      yield* Clients.create({ externalId: repeated })
      const session = Layer.mock(TokenService, { secrets: Effect.succeed([Redacted.make(repeated)]) })
      const reads = Layer.provide(ReadTools.layer, session)
      const { callTool } = yield* McpTest.makeClient(reads, { protocols })
      const { content, isError } = yield* callTool({ name: "clients_list", arguments: {} })
      assert.isTrue(isError)
      assert.deepStrictEqual(
        content.map((part) => (part.type === "text" ? JSON.parse(part.text) : part)),
        [{ error: "SecretInAnswer", message: "clients.list: the answer has a secret of the session" }]
      )
    }).pipe(onEmulator)
  )

  it.effect("an agent writes nothing invisible, and hears nothing that hides", () =>
    Effect.gen(function* () {
      const { call } = yield* connect()
      for (const character of ["\n", "\0", "\u001b[8m", "\u202e", "\ud800"]) {
        for (const column of Object.keys(order).filter((one) => one !== "amount")) {
          const refused = yield* call("submit_payout", { ...order, [column]: `a${character}b` })
          assert.isTrue(refused.isError, `${column} ${JSON.stringify(character)}`)
          assert.include(JSON.parse(refused.text).message, `${column}: has the invisible character \\u`)
        }
      }
      assert.deepStrictEqual(yield* Payouts.list(), [])
      yield* Clients.create({ externalId: "alice\u202e\u001b[8m" })
      const { structuredContent, text } = yield* call("clients_list")
      assert.include(text, String.raw`alice\\u202e\\u001b[8m`)
      assert.include(JSON.stringify(structuredContent), String.raw`alice\\u202e\\u001b[8m`)
    }).pipe(onEmulator)
  )

  it.effect("an order is held, is the same payout when it is repeated, and is refused with another amount", () =>
    Effect.gen(function* () {
      const { call } = yield* connect()
      const held = yield* call("submit_payout", order)
      assert.deepInclude(held.structuredContent, {
        ...order,
        state: "held",
        batch: "agents-1970-01-01",
        note: "invoice-1"
      })
      assert.deepStrictEqual(yield* call("submit_payout", { ...order, amount: "12.5" }), held)
      const refused = yield* call("submit_payout", { ...order, amount: "13" })
      assert.isTrue(refused.isError)
      assert.deepStrictEqual(JSON.parse(refused.text), {
        error: "ReferenceConflict",
        message: "the ledger has other orders under invoice-1: nothing was submitted"
      })
      const { digest } = yield* Payouts.review("agents-1970-01-01")
      const own = yield* Effect.flip(Payouts.approve("agents-1970-01-01", { by: "Agent", digest }))
      assert.match(own.message, /agent has submitted it/)
      yield* Payouts.approve("agents-1970-01-01", { by: "bob", digest })
      assert.deepInclude((yield* call("submit_payout", order)).structuredContent, { state: "ready" })
      assert.deepStrictEqual((yield* Payouts.progress()).states, { ready: 1 })
    }).pipe(onEmulator)
  )

  it.effect("agents order as much on a day (UTC) as is allowed, and a repetition does not count", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-28T23:59:00Z")))
      const all = [yield* connect(), yield* connect("2025-06-18")]
      const submit = (at: number, reference: string, amount: string, assetId = "usdc") =>
        all[at % 2]!.call("submit_payout", { ...order, reference, amount, assetId })
      const error = (text: string): unknown => JSON.parse(text).message
      for (const at of [0, 1]) assert.isFalse((yield* submit(at, "a", "12")).isError)
      assert.strictEqual(
        error((yield* submit(1, "b", "8.01")).text),
        "nothing was submitted: agents-2026-11-28 may have 20 usdc, and has 12 already"
      )
      assert.match(String(error((yield* submit(0, "b", "1", "eth")).text)), /may have 0 eth, and has 0 already/)
      for (const reference of ["b", "c"]) assert.isFalse((yield* submit(0, reference, "1")).isError)
      assert.match(String(error((yield* submit(1, "d", "1")).text)), /may have 3 payouts, and has 3 already/)
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* submit(1, "a", "12")).structuredContent, { batch: "agents-2026-11-28" })
      assert.deepInclude((yield* submit(1, "d", "20")).structuredContent, { batch: "agents-2026-11-29" })
    }).pipe(onEmulator)
  )

  it.effect("nothing that an agent says approves, decides or pays", () =>
    Effect.gen(function* () {
      const { call } = yield* connect()
      yield* call("submit_payout", order)
      for (const more of [
        { state: "ready" },
        { held: false },
        { by: "bob" },
        { batch: "june" },
        { "max-sum": "1e9" }
      ]) {
        const { isError, text } = yield* call("submit_payout", { ...order, reference: "b", ...more })
        assert.isTrue(isError)
        assert.include(text, `no excess property\n  at ["${Object.keys(more)[0]}"]`)
      }
      for (const wrong of [{ amount: "-1" }, { amount: "1e3" }, { to: "" }, { reference: " " }]) {
        const { isError, text } = yield* call("submit_payout", { ...order, ...wrong })
        assert.isTrue(isError)
        assert.deepInclude(JSON.parse(text), { error: "OrdersInvalid" })
      }
      for (const name of [
        "transactions_send",
        "approve",
        "payouts_approve",
        "decide",
        "sendAgain",
        "send-again",
        "cancel",
        "confirm"
      ]) {
        yield* Effect.flip(call(name, order))
      }
      assert.deepStrictEqual((yield* Payouts.progress()).states, { held: 1 })
      assert.lengthOf((yield* Transactions.list()).items, 0)
    }).pipe(onEmulator)
  )
})
