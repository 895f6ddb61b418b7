import { type CustodyClient, Environment, RetryPolicy, type TokenService } from "@effect-custody/core"
import { NodeCustody, TokenStoreSqlite } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { closedPort } from "../../../test/support/servers/ports.ts"
import { rawServer } from "../../../test/support/servers/rawServer.ts"
import { temporaryDirectory } from "../../../test/support/servers/sqlitePlace.ts"
import { connect, recordOf, testKey } from "../../../test/support/worlds/tokenStoreConformance.ts"
import { account, details, generated, refreshed } from "../../../test/support/clients/wireClient.ts"
import { header, json, wireServer } from "../../../test/support/servers/wireServer.ts"

/** A service with the exchange of a key, and the vault. */
const service = wireServer(({ target }) => (target.includes("/auth/") ? generated : details))

/** A session file that holds a session of an environment. */
const makeSessionFile = (environment: string, key?: Redacted.Redacted) =>
  Effect.gen(function* () {
    const path = Path.join(yield* temporaryDirectory, "session.db")
    yield* Effect.scoped(
      Effect.flatMap(
        connect({ store: (options) => TokenStoreSqlite.layer({ ...options, filename: path }) }, { key }),
        (store) => store.compareAndSwap("default", 0, { ...recordOf(3), environment })
      )
    )
    return path
  })

/** All bytes except the counters of changes, which a store writes into the header of a SQLite file at its opening. */
const digest = (bytes: Buffer) => {
  if (bytes.subarray(0, 15).toString("latin1") === "SQLite format 3") {
    bytes.fill(0, 24, 28)
    bytes.fill(0, 92, 100)
  }
  return createHash("sha256").update(bytes).digest("hex")
}

/** All files in the directory of a file, byte for byte. */
const everythingBeside = (file: string): Record<string, string> =>
  Object.fromEntries(
    Fs.readdirSync(Path.dirname(file), { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? digest(Fs.readFileSync(Path.join(entry.parentPath, entry.name))) : "not a file"
    ])
  )

/** The reason why a program with this layer fails. Asserts that nothing around the session file has changed. */
const refusal = <E>(layer: Layer.Layer<CustodyClient | TokenService, E>, sessionFile: string) =>
  Effect.gen(function* () {
    const before = everythingBeside(sessionFile)
    const error = yield* Effect.flip(Vaults.details().pipe(Effect.provide(Layer.fresh(layer))))
    assert.deepStrictEqual(everythingBeside(sessionFile), before)
    return error
  })

const organization = (subdomain: string) => ({
  environment: Environment.production({ subdomain, host: "custody.example" })
})
const canary = Redacted.make("canary".repeat(50))

describe("an option that is wrong", () => {
  it.live.each<readonly [option: string, wrong: Partial<NodeCustody.Options>]>([
    ["environment.subdomain", organization("acme/evil")],
    ["environment", { environment: Environment.at("https://alice:canary@custody.example") }],
    ["apiKey", { apiKey: canary }],
    ["sessionKey", { sessionKey: canary }],
    ["sessionKey", { sessionKey: Redacted.make("") }],
    ["previousSessionKeys.1", { sessionKey: testKey(1), previousSessionKeys: [testKey(2), canary] }],
    ["sessionKey", { previousSessionKeys: [testKey(2)] }],
    ["sessionFile", { sessionFile: "" }],
    ["sessionFile", { sessionFile: "session.db\0.txt" }],
    ["identity", { identity: "" }],
    ["connections", { connections: 0 }],
    ["timing", { timing: { requestTimeout: Duration.zero } }],
    ["secrets.0", { secrets: [Redacted.make(undefined as never)] }],
    ["proxy", { proxy: Redacted.make("socks5://alice:canary@proxy.example") }],
    ["proxy", { proxy: Redacted.make("http://alice:canary%zz@proxy.example") }],
    ["ca", { ca: "canary" }],
    ["clientCertificate", { clientCertificate: { certificate: "canary", key: canary } }],
    ["limits.maxResponseBytes", { limits: { maxResponseBytes: "0 MiB" } }]
  ])(
    "the wrong option %s fails with ConfigurationInvalid, without a secret, a request or a changed file: %o",
    ([option, wrong]) =>
      Effect.gen(function* () {
        const server = yield* service
        const none = Path.join(yield* temporaryDirectory, "session.db")
        for (const sessionFile of [yield* makeSessionFile(server.baseUrl), none]) {
          const layer = NodeCustody.layer({ environment: Environment.at(server.baseUrl), sessionFile, ...wrong })
          const error = yield* refusal(layer, sessionFile)
          assert(error._tag === "ConfigurationInvalid", String(error))
          assert.strictEqual(error.option, option)
          assert.isTrue(error.message.startsWith(`${option}: `))
          assert.notInclude(JSON.stringify(error) + String(error), "canary")
        }
        assert.strictEqual(server.connections(), 0)
      })
  )
})

/** Makes this runtime look like Bun for a while. */
const onBun = Effect.acquireRelease(
  Effect.sync(() => Object.assign(globalThis, { Bun: {} })),
  () => Effect.sync(() => Reflect.deleteProperty(globalThis, "Bun"))
)

it.live("Bun fails with ConfigurationInvalid, which names the replacement, and changes no file", () =>
  Effect.gen(function* () {
    const server = yield* service
    const sessionFile = yield* makeSessionFile(server.baseUrl)
    const layer = NodeCustody.layer({ environment: Environment.at(server.baseUrl), sessionFile })
    const error = yield* Effect.scoped(Effect.andThen(onBun, refusal(layer, sessionFile)))
    assert.deepInclude<object>(error, { _tag: "ConfigurationInvalid", option: "httpClient" })
    assert.include(error.message, "Custody.layer with FetchHttpClient.layer and TokenStoreSqlite.layer")
    assert.strictEqual(server.connections(), 0)
    assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), Layer.fresh(layer)), { id: "42" })
  })
)

it.live("a client refuses the session file of another service, and sends nothing to either service", () =>
  Effect.gen(function* () {
    const [server, other] = [yield* service, yield* service]
    const sessionFile = yield* makeSessionFile(other.baseUrl)
    const options = { environment: Environment.at(server.baseUrl), sessionFile, apiKey: Redacted.make("one-time") }
    const error = yield* refusal(NodeCustody.layer(options), sessionFile)
    assert.deepInclude<object>(error, { _tag: "SessionOfAnotherEnvironment", stored: other.baseUrl })
    assert.deepStrictEqual([server.connections(), other.connections()], [0, 0])
  })
)

/** A service that accepts only the access token of its first refresh. */
const rotating = wireServer((request) => {
  if (request.target.includes("/auth/")) return refreshed(4)
  const isNew = request.headers.some(([, value]) => value.includes("access-4"))
  return isNew ? details : json(498, { status: 498, message: "Token has expired", errors: {}, code: "E01403" })
})

it.live("after a change of the session key, the former key opens the file until the next rotation", () =>
  Effect.gen(function* () {
    const server = yield* rotating
    const sessionFile = yield* makeSessionFile(server.baseUrl, testKey(1))
    const read = (keys: Pick<NodeCustody.Options, "sessionKey" | "previousSessionKeys">) => {
      const options = { environment: Environment.at(server.baseUrl), sessionFile, ...keys }
      return Effect.provide(Vaults.details(), Layer.fresh(NodeCustody.layer(options)))
    }
    const early = yield* Effect.flip(read({ sessionKey: testKey(2) }))
    assert.deepInclude<object>(early, { _tag: "TokenStoreError", operation: "load" })
    const both = { sessionKey: testKey(2), previousSessionKeys: [testKey(3), testKey(1)] }
    assert.deepInclude<object>(yield* read(both), { id: "42" })
    assert.deepInclude<object>(yield* read({ sessionKey: testKey(2) }), { id: "42" })
    assert.strictEqual((yield* Effect.flip(read({ sessionKey: testKey(1) })))._tag, "TokenStoreError")
    assert.deepStrictEqual(
      server.received.map(({ target }) => target.replace("/api/integration", "")),
      ["/vaults/details", "/auth/refresh-token", "/vaults/details", "/vaults/details"]
    )
  })
)

describe("the configuration", () => {
  /** The layer from environment variables. */
  const configured = (env: Record<string, string>, overrides: NodeCustody.Overrides = {}) =>
    Layer.fresh(NodeCustody.layerConfig(overrides)).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )

  it.live("layerConfig joins the configuration and the program's own options", () =>
    Effect.gen(function* () {
      const server = yield* service
      const sessionFile = Path.join(yield* temporaryDirectory, "session.db")
      const env = { CUSTODY_BASE_URL: server.baseUrl, CUSTODY_SESSION_FILE: sessionFile, CUSTODY_API_KEY: "one-time" }
      const options = { userAgent: "payouts/1", identity: "payouts" }
      assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), configured(env, options)), { id: "42" })
      assert.deepStrictEqual(
        server.received.flatMap((request) => header(request, "user-agent")),
        ["payouts/1", "payouts/1"]
      )
    })
  )

  it.live("layerConfig() reads its variables below the prefix of a nested provider", () =>
    Effect.gen(function* () {
      const server = yield* service
      const directory = yield* temporaryDirectory
      const env = {
        CUSTODY_BASE_URL: "https://elsewhere.example/api",
        TREASURY_CUSTODY_BASE_URL: server.baseUrl,
        TREASURY_CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
        TREASURY_CUSTODY_API_KEY: "one-time",
        TREASURY_CUSTODY_SESSION_KEY: ""
      }
      const nested = (env: Record<string, string>) =>
        Layer.fresh(NodeCustody.layerConfig()).pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.nested(ConfigProvider.fromEnv({ env }), "TREASURY")))
        )
      const error = yield* Effect.flip(Effect.provide(Vaults.details(), nested(env)))
      assert.include(error.message, "CUSTODY_SESSION_KEY: is empty")
      const { TREASURY_CUSTODY_SESSION_KEY: _, ...others } = env
      assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), nested(others)), { id: "42" })
    })
  )

  it.live("layerConfig reads the variables of the options that the program does not give, and no others", () =>
    Effect.gen(function* () {
      const server = yield* service
      const env = {
        TREASURY_URL: server.baseUrl,
        TREASURY_FILE: Path.join(yield* temporaryDirectory, "session.db"),
        TREASURY_KEY: "one-time",
        CUSTODY_BASE_URL: "https://elsewhere.example/api",
        CUSTODY_API_KEY: "another"
      }
      const treasury = (env: Record<string, string>) =>
        NodeCustody.layerConfig({
          environment: Config.map(Config.String("TREASURY_URL"), Environment.at),
          sessionFile: Config.String("TREASURY_FILE"),
          apiKey: Config.Redacted("TREASURY_KEY"),
          userAgent: Config.succeed("treasury/1"),
          limits: { attemptTimeout: Duration.seconds(5) }
        }).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
      assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), treasury(env)), { id: "42" })
      assert.deepStrictEqual(
        server.received.flatMap((request) => header(request, "user-agent")),
        ["treasury/1", "treasury/1"]
      )
      const { TREASURY_FILE: _, ...without } = env
      assert.strictEqual((yield* Effect.flip(Effect.provide(Vaults.details(), treasury(without))))._tag, "ConfigError")
      // The key of the variables belongs to the service of the variables.
      const overrides = { environment: Environment.at(server.baseUrl), sessionFile: env.TREASURY_FILE + "2" }
      const error = yield* Effect.flip(Effect.provide(Vaults.details(), configured(env, overrides)))
      assert.strictEqual(error._tag, "NoSession")
      // The error names the option, or the variable that was read.
      const tooLong = "k".repeat(256)
      const base = { CUSTODY_BASE_URL: server.baseUrl, CUSTODY_SESSION_FILE: env.TREASURY_FILE }
      const refused = (variables: Record<string, string>, given: NodeCustody.Overrides) =>
        Effect.map(
          Effect.flip(Effect.provide(Vaults.details(), configured({ ...base, ...variables }, given))),
          (error) => (error._tag === "ConfigurationInvalid" ? error.option : error._tag)
        )
      assert.strictEqual(yield* refused({ CUSTODY_API_KEY: tooLong }, {}), "CUSTODY_API_KEY")
      assert.strictEqual(yield* refused({ CUSTODY_API_KEY: "fine" }, { apiKey: Redacted.make(tooLong) }), "apiKey")
    })
  )

  it.live("HTTPS_PROXY is the proxy, unless NO_PROXY has the host or the program has another", () =>
    Effect.gen(function* () {
      const proxy = yield* rawServer({ onData: (socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n") })
      const other = yield* rawServer({ onData: (socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n") })
      const env = {
        CUSTODY_BASE_URL: `https://127.0.0.1:${closedPort}/api/integration`,
        CUSTODY_API_KEY: "one-time",
        HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`
      }
      const asked = Effect.fnUntraced(function* (more: Record<string, string>, options: NodeCustody.Overrides = {}) {
        const sessionFile = Path.join(yield* temporaryDirectory, "session.db")
        const provider = ConfigProvider.fromEnv({ env: { ...env, CUSTODY_SESSION_FILE: sessionFile, ...more } })
        const layer = NodeCustody.layerConfig({ ...options, retry: RetryPolicy.none })
        yield* Effect.flip(Effect.provide(Vaults.details(), Layer.provide(layer, ConfigProvider.layer(provider))))
        return [proxy.connections(), other.connections()]
      })
      assert.deepStrictEqual(yield* asked({}), [1, 0])
      assert.deepStrictEqual(yield* asked({ HTTPS_PROXY: "", https_proxy: env.HTTPS_PROXY }), [2, 0])
      assert.deepStrictEqual(yield* asked({ NO_PROXY: "127.0.0.1" }), [2, 0])
      const proxyOption = Redacted.make(`http://127.0.0.1:${other.port}`)
      assert.deepStrictEqual(yield* asked({}, { proxy: proxyOption }), [2, 1])
    })
  )

  it.live("negotiateProtocol connects through HTTPS_PROXY, unless the program gives its egress", () =>
    Effect.gen(function* () {
      const proxy = yield* rawServer({ onData: (socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n") })
      const provider = ConfigProvider.fromEnv({ env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } })
      const environment = Environment.at(`https://127.0.0.1:${closedPort}/api`)
      const negotiate = (egress?: NodeCustody.Egress) =>
        Effect.provide(NodeCustody.negotiateProtocol(environment, egress), ConfigProvider.layer(provider))
      assert.isUndefined(yield* negotiate())
      assert.strictEqual(proxy.connections(), 1)
      assert.isUndefined(yield* negotiate({}))
      assert.strictEqual(proxy.connections(), 1)
    })
  )

  it("layerConfig() is one layer however often it is called", () => {
    assert.strictEqual(NodeCustody.layerConfig(), NodeCustody.layerConfig())
  })

  it.live("a base address, a session file and a key are a whole configuration", () =>
    Effect.gen(function* () {
      const server = yield* service
      const directory = yield* temporaryDirectory
      const env = {
        CUSTODY_BASE_URL: server.baseUrl,
        CUSTODY_SESSION_FILE: Path.join(directory, "session.db"),
        CUSTODY_SESSION_KEY: Redacted.value(testKey(7)),
        CUSTODY_API_KEY: " one-time-api-key\r\n"
      }
      assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), configured(env)), { id: "42" })
      // The session outlives the key.
      const { CUSTODY_API_KEY: _, ...later } = env
      assert.deepInclude<object>(yield* Effect.provide(Vaults.details(), configured(later)), { id: "42" })
      const read = "GET /api/integration/vaults/details access-0"
      assert.deepStrictEqual(account(server.received), [
        `POST /api/integration/auth/generate-tokens {"apiKey":"one-time-api-key"}`,
        read,
        read
      ])
      assert.notInclude(Fs.readFileSync(env.CUSTODY_SESSION_FILE, "latin1"), "refresh-0")
    })
  )

  const whole = {
    CUSTODY_SUBDOMAIN: "acme",
    CUSTODY_HOST: "custody.example",
    CUSTODY_ENVIRONMENT: "production",
    CUSTODY_SESSION_FILE: "/nowhere/session.db"
  }
  const without = (name: keyof typeof whole): Record<string, string> =>
    Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name))

  const named = (env: Record<string, string>) =>
    Effect.map(Effect.flip(Effect.provide(Vaults.details(), configured(env))), (error) => {
      assert.include(["ConfigError", "ConfigurationInvalid"], error._tag)
      return error.message
    })

  it.live(
    "a configuration with missing or empty variables fails with an error that names them all, and the alternative",
    () =>
      Effect.gen(function* () {
        for (const name of [
          "CUSTODY_SUBDOMAIN",
          "CUSTODY_HOST",
          "CUSTODY_ENVIRONMENT",
          "CUSTODY_SESSION_FILE"
        ] as const) {
          assert.include(yield* named(without(name)), name)
          assert.include(yield* named({ ...whole, [name]: "" }), name)
        }
        assert.strictEqual(
          yield* named({}),
          "CUSTODY_SUBDOMAIN, CUSTODY_HOST, CUSTODY_ENVIRONMENT, CUSTODY_SESSION_FILE: not set. CUSTODY_BASE_URL, a whole " +
            "address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT"
        )
      })
  )

  const [first, second] = [Redacted.value(testKey(1)), Redacted.value(testKey(2))] as const
  const sealed = { ...whole, CUSTODY_SESSION_KEY: first }
  it.live.each<readonly [wrong: Record<string, string>, message: RegExp]>([
    [{ ...whole, CUSTODY_SUBDOMAIN: "acme.evil" }, /^CUSTODY_SUBDOMAIN: /],
    [{ ...whole, CUSTODY_HOST: "custody.example/api" }, /^CUSTODY_HOST: /],
    [{ ...whole, CUSTODY_ENVIRONMENT: "prod" }, /^CUSTODY_ENVIRONMENT: must be production, sandbox or emulator$/],
    [{ CUSTODY_BASE_URL: "http://custody.example/api", CUSTODY_SESSION_FILE: "/nowhere" }, /^CUSTODY_BASE_URL: /],
    [{ CUSTODY_BASE_URL: "http://127.0.0.1:1/api" }, /^CUSTODY_SESSION_FILE: not set$/],
    [
      { ...whole, CUSTODY_BASE_URL: "http://127.0.0.1:1/api" },
      /^CUSTODY_BASE_URL: set together with CUSTODY_SUBDOMAIN, CUSTODY_HOST, CUSTODY_ENVIRONMENT: .* Keep one or the other$/
    ],
    [{ ...whole, CUSTODY_API_KEY: "k".repeat(256) }, /^CUSTODY_API_KEY: /],
    [{ ...whole, CUSTODY_SESSION_KEY: "AAAA" }, /^CUSTODY_SESSION_KEY: must be 32 bytes, not 3$/],
    [{ ...whole, CUSTODY_SESSION_KEY: "" }, /^CUSTODY_SESSION_KEY: is empty: give 32 bytes in base64/],
    [{ ...whole, CUSTODY_SESSION_KEY_FILE: "/run/key" }, /^CUSTODY_SESSION_KEY: is empty: .*_FILE is not read/],
    [{ ...whole, CUSTODY_PREVIOUS_SESSION_KEYS: first }, /^CUSTODY_SESSION_KEY: is missing/],
    [
      { ...sealed, CUSTODY_PREVIOUS_SESSION_KEYS: `${second},no key` },
      /^CUSTODY_PREVIOUS_SESSION_KEYS: its key 2 must/
    ],
    [
      { ...sealed, CUSTODY_PREVIOUS_SESSION_KEYS: `${second},,${first}` },
      /^CUSTODY_PREVIOUS_SESSION_KEYS: has an empty/
    ]
  ])("a configuration with a wrong value fails with the name of the variable: %o", ([env, message]) =>
    Effect.gen(function* () {
      assert.match(yield* named(env), message)
    })
  )

  it.effect("sessionKeysConfig reads the session keys for another store", () =>
    Effect.gen(function* () {
      const env = {
        CUSTODY_SESSION_KEY: first,
        CUSTODY_SESSION_KEY_FILE: "/run/secrets/key",
        CUSTODY_PREVIOUS_SESSION_KEYS: ` ${second} , ${first}\n`
      }
      const read = (env: Record<string, string>) =>
        Effect.provideService(
          NodeCustody.sessionKeysConfig,
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnv({ env })
        )
      const { previousSessionKeys, sessionKey } = yield* read(env)
      assert.strictEqual(sessionKey && Redacted.value(sessionKey), first)
      assert.deepStrictEqual(previousSessionKeys.map(Redacted.value), [second, first])
      assert.deepStrictEqual(yield* read({}), { sessionKey: undefined, previousSessionKeys: [] })
      assert.strictEqual((yield* Effect.flip(read({ CUSTODY_SESSION_KEY: "" })))._tag, "ConfigurationInvalid")
    })
  )

  it.live("an empty API key counts as not set: the client sends no key, and the error says that there is none", () =>
    Effect.gen(function* () {
      const server = yield* service
      const sessionFile = Path.join(yield* temporaryDirectory, "session.db")
      const env = {
        CUSTODY_BASE_URL: server.baseUrl,
        CUSTODY_SUBDOMAIN: "",
        CUSTODY_SESSION_FILE: sessionFile,
        CUSTODY_API_KEY: " \n"
      }
      const error = yield* Effect.flip(Effect.provide(Vaults.details(), configured(env)))
      assert.strictEqual(error._tag, "NoSession", String(error))
      assert.match(error.message, /no API key/)
      assert.include(error.message, "CUSTODY_API_KEY")
      assert.strictEqual(server.connections(), 0)
    })
  )
})
