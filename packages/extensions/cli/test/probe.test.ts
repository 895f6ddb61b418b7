import { TokenStore } from "@effect-custody/authentication"
import { command } from "@effect-custody/cli/Command"
import { Amount, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, Transactions } from "@effect-custody/sdk"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import { ConfigProvider, DateTime, Effect, Layer, Redacted, Result, Runtime } from "effect"
import { Command } from "effect/cli"
import { assert, describe, it } from "@effect/vitest"
import { contractFile } from "./contractModules.ts"
import { custody, inDirectory, server } from "./runCustody.ts"
import { endpoints } from "../src/service/endpoints.ts"
import * as Findings from "../src/contract/findings.ts"

const now = DateTime.makeUnsafe("2026-11-28T00:00:00Z")
const seen = new Map()

const answered = (operation: string, result: unknown) =>
  Findings.compare(endpoints.get(operation)!, result, { redact: Secrets.makeRedact([]), now, seen })

const wallet = { id: "w1", address: "0x1", extra: {} }

describe("the findings of a probe", () => {
  it("a list without records shows no missing or unused key", () => {
    const { looks, notes, problem, records } = answered("wallets.list", { items: [], meta: undefined })
    assert.deepStrictEqual([problem, records, looks, notes], [undefined, 0, [], []])
  })

  it("a list shows the missing fields and the unused keys", () => {
    const items = [wallet, { id: "w2", clientId: "alice", extra: { asset_id: "usdc", colour: "red" } }]
    const probed = answered("wallets.list", { items })
    assert.strictEqual(probed.records, 2)
    const [missing = "", unused] = probed.notes
    assert.match(missing, /^missing: .*assetId/)
    assert.notMatch(missing, /\bclientId/)
    assert.strictEqual(unused, "unused: asset_id, colour")
  })

  it("the report tells a dropped value from an unknown key", () => {
    const probed = answered("wallets.get", { ...wallet, extra: { balance: {}, tier: 1 } })
    assert.deepStrictEqual(probed.looks, ["dropped: balance (1)"])
    const [missing = "", unused] = probed.notes
    assert.strictEqual(unused, "unused: tier")
    assert.notMatch(missing, /\bbalance\b/)
  })

  it("the report shortens the list of keys and each key", () => {
    const extra = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key ${at} ${"x".repeat(1_000)}`, 1]))
    const [, unused = ""] = answered("wallets.list", { items: [{ ...wallet, extra }] }).notes
    const keys = unused.replace("unused: ", "").split(", ")
    assert.strictEqual(keys.length, 64)
    assert.isAtMost(Math.max(...keys.map((key) => key.length)), 129)
  })
})

it("a probe calls only reads, begins with those that need no id, and collects ids", () => {
  const reads = Findings.reads()
  assert.strictEqual(reads.length, 30)
  const needs = new Map(reads)
  assert.isFalse(needs.has("transactions.send"))
  assert.deepStrictEqual(
    reads.map(([, needed]) => needed.length),
    reads.map(([, needed]) => needed.length).toSorted((a, b) => a - b)
  )
  assert.deepStrictEqual([needs.get("wallets.balance"), needs.get("assets.configuration")], [["walletId"], []])
  assert.deepStrictEqual(Findings.idsIn("wallets.list", { items: [wallet] }), { walletId: "w1" })
  assert.deepStrictEqual(Findings.idsIn("vaults.details", { id: "1" }), {})
})

const rowsOf = (ids: string) => Array.from(ids, (id) => ({ id }))

it.each<readonly [pages: ReadonlyArray<string>, objection: string | undefined]>([
  [["ab", "cd"], undefined],
  [["ab", "c"], "page 2 does not have the next rows"],
  [["abc"], "a page with the limit 2 has 3 rows"],
  [["bc", "de"], "page 1 does not have the first two rows of the list"],
  [["ab", "bc"], "page 2 does not have the next rows"],
  [["ab"], "page 2 does not have the next rows"],
  [["a", "b"], "page 1 does not have the first two rows of the list"]
])("of a list that begins with abcd, the pages %j say %s", (pages, objection) => {
  const read = pages.map((ids) => ({ items: rowsOf(ids), meta: undefined }))
  assert.strictEqual(Findings.pagingObjection(rowsOf("abcde"), read), objection)
})

it.each([0, 1, 12, 20, 25, 100])("a whole list of %d rows may be a page if it is as long as one", (length) => {
  const rows = Array.from({ length }, (_, id) => ({ id: String(id) }))
  const objection = Findings.pagingObjection(rows, [{ items: rows, meta: undefined, hasNext: false }])
  assert.strictEqual(objection !== undefined, length >= 20)
})

describe("the times of a probe", () => {
  const at = (createdAt: string) =>
    answered("transactions.get", { id: "t1", createdAt: DateTime.makeUnsafe(createdAt) })

  it.each(["1970-01-21T18:51:50Z", "2011-11-27T00:00:00Z", "2026-11-29T00:00:01Z"])(
    "%s fails, with the unit",
    (time) => {
      assert.match(at(time).problem ?? "", /^createdAt: record t1 has the time .* confirm the unit of createdAt/)
    }
  )

  it.each([1_795_910_400_000, "2026-11-28 10:00:00"])("%j, which cannot be read, is a hint", (createdAt) => {
    const { looks } = answered("transactions.get", { id: "t1", extra: { createdAt } })
    assert.deepStrictEqual(looks, ["dropped: createdAt (1)"])
  })

  it.each(["2011-11-29T00:00:00Z", "2026-11-28T23:59:59Z"])("%s is possible", (time) => {
    assert.isUndefined(at(time).problem)
  })
})

describe("a trial of a filter", () => {
  const row = (id: string, clientId: string, createdAt: string) => ({
    id,
    clientId,
    createdAt: DateTime.makeUnsafe(createdAt)
  })
  const rows = [row("1", "alice", "2026-11-01T00:00:00Z"), row("2", "bob", "2026-11-01T00:00:10Z")]
  const tried = (filter: string, ids: string, limit = 100) =>
    Findings.filterObjection(
      rows,
      Findings.trials(rows, filter)[0]!,
      rows.filter(({ id }) => ids.includes(id)),
      limit
    )

  it.each([
    ["clientId", "1", undefined],
    ["clientId", "12", "lets other rows through"],
    ["clientId", "2", "lets other rows through"],
    ["clientId", "", "hides a row that it must show"],
    ["from", "2", undefined],
    ["from", "1", "lets other rows through"],
    ["from", "", "hides a row that it must show"],
    ["to", "1", undefined],
    ["to", "12", "lets other rows through"],
    ["to", "", "hides a row that it must show"]
  ] as const)("%s that shows the rows %j says %s", (filter, ids, objection) => {
    assert.strictEqual(tried(filter, ids), objection)
  })

  it("needs a row to hide, and times that are apart", () => {
    const near = [rows[0]!, { ...rows[0]!, id: "3", createdAt: DateTime.makeUnsafe("2026-11-01T00:00:03Z") }]
    for (const filter of ["clientId", "from", "to"]) assert.isEmpty(Findings.trials(near, filter))
  })
})

it("a record that differs from its row in a list is a hint", () => {
  answered("transactions.list", { items: [{ id: "t9", amount: Amount.of("1.5"), status: "PENDING" }] })
  const { looks } = answered("transactions.get", { id: "t9", amount: Amount.of("0.015"), status: "COMPLETED" })
  assert.deepStrictEqual(looks, ["not as in the list: amount"])
})

const address = "https://acme.custody.example/api/integration"
/** The error of a probe that passed all checks: it has no session file. */
const noSessionFile = "CUSTODY_SESSION_FILE: not set"
const production = { CUSTODY_SUBDOMAIN: "acme", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }

/** A tunnel may lead from there to production. */
const here = "http://127.0.0.1:4010/api/integration"

const cases: ReadonlyArray<readonly [env: object, args: ReadonlyArray<string>, said: string]> = [
  [{}, [], "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and"],
  [{ CUSTODY_BASE_URL: address }, [], `nothing shows whether ${address} is production: use --not-production`],
  [{ CUSTODY_BASE_URL: address }, ["--not-production"], noSessionFile],
  [{ CUSTODY_BASE_URL: here }, [], `nothing shows whether ${here} is production: use --not-production`],
  [{ CUSTODY_BASE_URL: here, CUSTODY_ENVIRONMENT: "emulator" }, [], noSessionFile],
  [{ CUSTODY_BASE_URL: "custody.example" }, ["--not-production"], "must be an absolute URL"],
  [production, ["--not-production"], "this environment is production"]
]
it.effect.each(cases)('a probe with the environment %j and the arguments %j fails with "%s"', ([env, args, said]) =>
  Effect.gen(function* () {
    const run = Command.runWith(command, { version: "0" })(["contract", "probe", "--yes", "--all", ...args])
    const outcome = yield* Effect.result(run)
    assert(Result.isFailure(outcome))
    assert.include(JSON.stringify(outcome.failure), said)
  }).pipe(Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(env))]))
)

it.live("a probe without a session says so", () =>
  Effect.gen(function* () {
    const { fails, said } = yield* custody(["contract", "probe", "--yes"], {
      CUSTODY_BASE_URL: "http://127.0.0.1:9/api",
      CUSTODY_ENVIRONMENT: "emulator",
      CUSTODY_CONTRACT_FILE: contractFile("Adapter.assumed(Clients.list)"),
      CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db`
    })
    assert.isTrue(fails)
    assert.match(said, /clients\.list +failed +NoSession/)
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

  it.live("a probe shows no secret and no control character", () =>
    Effect.gen(function* () {
      const baseUrl = yield* hostile
      const { said } = yield* custody(["contract", "probe", "--yes", "--all"], {
        CUSTODY_BASE_URL: baseUrl,
        CUSTODY_ENVIRONMENT: "emulator",
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
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("a probe of a service with records", () => {
  const fill = Effect.gen(function* () {
    const { fund, issueApiKey } = yield* CustodyEmulator
    yield* Effect.gen(function* () {
      for (const id of ["alice", "bob"]) {
        yield* Clients.create({ externalId: id })
        yield* fund({ clientId: id, assetId: "usdc", amount: Amount.of("10") })
        yield* Effect.sleep("50 millis")
      }
      yield* fund({ clientId: "bob", assetId: "usdt", amount: Amount.of("10") })
      const payout = { clientId: "alice", assetId: "usdc", amount: Amount.of("1"), to: "0xabc", note: "n1" }
      yield* Transactions.send(payout)
    }).pipe(
      Effect.provide(
        Custody.layer({
          environment: Environment.emulator((yield* CustodyEmulator).baseUrl),
          apiKey: yield* issueApiKey()
        }).pipe(Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()]))
      )
    )
    return yield* issueApiKey()
  })

  /** Probes the emulator under some adapters. */
  const probed = Effect.fnUntraced(function* (
    [adapters, service]: readonly [adapters: string, service?: string],
    ...flags: ReadonlyArray<string>
  ) {
    const { baseUrl } = yield* CustodyEmulator
    const apiKey = yield* fill
    const { failure, said } = yield* custody(["contract", "probe", "--yes", ...flags], {
      CUSTODY_BASE_URL: baseUrl,
      CUSTODY_ENVIRONMENT: "emulator",
      CUSTODY_API_KEY: Redacted.value(apiKey),
      CUSTODY_CONTRACT_FILE: contractFile(adapters, service, transactions),
      CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db`
    })
    return { said, exitCode: failure === undefined ? 0 : Runtime.getErrorExitCode(failure) }
  })

  /** An adapter of the history as it is assumed, in which a test changes a part. */
  const transactions = `
const text = Schema.optionalKey(Schema.String)
const Row = Schema.Struct({
  id: Schema.String, status: Transactions.Status, type: Transactions.TransactionType, clientId: text, assetId: text,
  amount: Schema.optionalKey(Amount.Amount), to: text, note: text, createdAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
const row = (r: typeof Row.Type) => ({
  id: r.id, status: r.status, type: r.type, clientId: r.clientId, toClientId: undefined, walletId: undefined, assetId: r.assetId,
  networkId: undefined, amount: r.amount, fee: undefined, feeAssetId: undefined, from: undefined, to: r.to, note: r.note, hash: undefined,
  createdAt: r.createdAt, updatedAt: undefined
})
const list = (parts: { query?: (q: any, asked: any) => object; read?: (r: any) => object; next?: any } = {}) =>
  Adapter.make(Transactions.list, {
    without: ["search", "sortKey", "order", "networkId"],
    request: ({ assetId, clientId, from, status, to, type }, asked) =>
      HttpClientRequest.get("/transactions", {
        urlParams: {
          clientId, assetId, status, type, from: from && from.toString(), to: to && to.toString(),
          page: asked.page, limit: asked.limit, ...parts.query?.({ clientId, assetId, from, to }, asked)
        } as Record<string, string>
      }),
    answer: Schema.Struct({ items: Schema.Array(Row) }),
    read: ({ items }) => items.map((r) => ({ ...row(r), ...parts.read?.(r) })) as never,
    ...("next" in parts ? { next: parts.next } : { next: (_: unknown, rows: number, { page }: any) => (rows === 0 ? undefined : page + 1) })
  })
const get = (read: (r: any) => object = () => ({})) =>
  Adapter.make(Transactions.get, {
    request: ({ transactionId }) => HttpClientRequest.get(Adapter.path\`/transactions/\${transactionId}\`),
    answer: Row,
    read: (r) => ({ ...row(r), ...read(r) }) as never
  })
`
    .replaceAll("from.toString()", "new Date(Number(from.epochMilliseconds)).toISOString()")
    .replaceAll("to.toString()", "new Date(Number(to.epochMilliseconds)).toISOString()")

  // The payment stays as it is for as long as a probe takes: its status is one of the filters.
  const emulator = CustodyEmulator.layerServer({ durations: { pendingFor: "1 day" } })
  const here = Effect.provide(Layer.mergeAll(NodeServices.layer, Layer.fresh(emulator)))

  it.live("reads what the contract confirms, proves filters and pages, and says which to write down", () =>
    Effect.gen(function* () {
      const found = yield* probed(["list(), get(), Adapter.assumed(Wallets.list)"])
      assert.strictEqual(found.exitCode, 0, found.said)
      assert.match(found.said, /3 answered, 0 failed, 0 not tried, 0 to look at$/)
      assert.notInclude(found.said, "vaults.details")
      assert.include(found.said, 'proven: "clientId", "assetId", "networkId"')
      assert.include(found.said, 'proven: "clientId", "assetId", "type", "status", "from", "to"')
    }).pipe(Effect.scoped, here)
  )

  it.live("is green for records without times", () =>
    Effect.gen(function* () {
      const found = yield* probed([
        "Adapter.assumed(Wallets.list), Adapter.assumed(Assets.list), Adapter.assumed(Clients.list)"
      ])
      assert.strictEqual(found.exitCode, 0, found.said)
    }).pipe(Effect.scoped, here)
  )

  it.live("asks for nothing that the contract omits", () =>
    Effect.gen(function* () {
      const { exitCode, said } = yield* probed([
        'Adapter.assumed(Transactions.list, { without: ["clientId", "limit"] })'
      ])
      assert.strictEqual(exitCode, 2)
      assert.include(said, "look: paging: InputInvalid: ")
      assert.notInclude(said, "clientId")
    }).pipe(Effect.scoped, here)
  )

  it.live("reads everything with --all", () =>
    Effect.gen(function* () {
      const { said } = yield* probed([""], "--all", "--with", "tokenId=1")
      assert.match(said, /vaults\.details +answered/)
      assert.match(said, /proven: "clientId"/)
    }).pipe(Effect.scoped, here)
  )

  it.live("reads nothing under a contract that confirms no read", () =>
    Effect.gen(function* () {
      const none = yield* probed(["Adapter.assumed(Transactions.send)"])
      assert.strictEqual(none.exitCode, 1)
      assert.include(none.said, "the contract confirms no read: use --all")
    }).pipe(Effect.scoped, here)
  )

  const codes = "{ error: (body) => ({ code: body.status, means: body.status === 404 ? 'NotFound' : undefined }) }"
  const noMeaning = "{ error: (body) => ({ code: body.status }) }"

  it.live.each<readonly [contract: readonly [string, string?], hint: string]>([
    [
      ["list({ query: ({ clientId }) => ({ clientId: undefined, client: clientId }) })"],
      "look: the filter clientId: ValidationFailed: "
    ],
    [["list({ query: () => ({ to: undefined }) })"], "look: the filter to: lets other rows through"],
    [["list({ read: () => ({ note: undefined }) })"], "look: missing, although the ledger reads it: note"],
    [["list({ query: (_, { page }) => ({ page: undefined, p: page }) })"], "failed     ValidationFailed: "],
    [["list({ next: () => undefined, query: () => ({ page: 1, limit: 3 }) })"], "look: "],
    [["list({ next: undefined })"], "look: paging: PagesIncomplete: "],
    [["list(), get((r) => ({ to: r.note }))"], "look: not as in the list: to"],
    [["Adapter.assumed(Clients.get)", codes], "look: a path that does not exist looks like a record that does not"],
    [
      ["Adapter.assumed(Clients.list), Adapter.assumed(Clients.get)", noMeaning],
      "look: a client that does not exist gives "
    ],
    [
      [
        "list({ read: () => ({ createdAt: Schema.decodeSync(Schema.DateTimeUtcFromString)('1970-01-21T00:00:00Z') }) })"
      ],
      "confirm the unit of createdAt"
    ]
  ])("does not end with 0 under %j, and says why", ([contract, hint]) =>
    Effect.gen(function* () {
      const { exitCode, said } = yield* probed(contract, "--with", "externalId=alice")
      assert.include(said, hint)
      assert.isAbove(exitCode, 0)
    }).pipe(Effect.scoped, here)
  )

  it.live("tries a filter with a value that the contract can send, and says which filters the rows do not try", () =>
    Effect.gen(function* () {
      const { exitCode, said } = yield* probed([`list({ query: ({}, {}) => ({}) }), Adapter.assumed(Clients.list)`])
      assert.strictEqual(exitCode, 0, said)
      assert.match(said, /clients\.list .*\n +.*could not be tried with these rows: pages/)
    }).pipe(Effect.scoped, here)
  )
})
