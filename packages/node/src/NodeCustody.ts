/**
 * One layer for Node, with an HTTP client for HTTP/2 and HTTP/1.1, and a SQLite file for the session.
 *
 * @since 0.1.0
 */
import * as RowStore from "@effect-custody/authentication/RowStore"
import type { Rows } from "@effect-custody/authentication/TokenStore"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { Environment } from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenService } from "@effect-custody/core/TokenService"
import * as Custody from "@effect-custody/sdk/Custody"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Configuration from "./internal/configuration.ts"
import * as EgressOptions from "./internal/egress.ts"
import type * as Http1 from "./internal/http1.ts"
import * as NodeHttpClient from "./internal/httpClient.ts"
import * as SqliteFile from "./internal/sqliteFile.ts"
import * as TokenStoreSqlite from "./TokenStoreSqlite.ts"

/**
 * The requests that may reuse an HTTP/1.1 connection. On HTTP/2, reads and writes always share a connection, because
 * each answer belongs to one request, and the service says which requests it has not processed.
 *
 * The most frequent cause of an unknown outcome is a reused connection that the service closes as idle just when a
 * request is sent. A new connection is never idle, and carries no answer to an earlier request. Each authentication
 * request always has a connection of its own.
 *
 * - `reads`: reads reuse connections. Each write has a connection of its own, which costs a handshake.
 * - `none`: every request has a connection of its own.
 * - `all`: reads and writes reuse connections. A write then needs no new handshake.
 *
 * @since 0.1.0
 * @category models
 */
export type Reuse = Http1.Reuse

/**
 * How connections leave the network: a proxy, certificate authorities, and a certificate of the client. All of them
 * apply to HTTP/1.1 and HTTP/2, to reads, writes and the authentication endpoints.
 *
 * The service receives nothing before the proxy has opened the tunnel. So any earlier failure is `NotSent`, with a
 * reason such as `PROXY_407` or `PROXY_ECONNREFUSED`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Egress extends EgressOptions.Options {}

/**
 * The options of connections: their number, their reuse, and their egress (proxy and certificates).
 *
 * @since 0.1.0
 * @category models
 */
export interface Connections extends Egress {
  /**
   * The maximum number of concurrent requests, separately for reads, for writes and for the authentication endpoints.
   * Over HTTP/1.1, each request has a connection. Further requests wait. Default: 64.
   */
  readonly connections?: number | undefined
  /** The requests that may reuse a connection: see {@link Reuse}. Default: `reads`. */
  readonly reuse?: Reuse | undefined
}

/**
 * The options of a client on Node.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Custody.Options, Connections {
  /** The SQLite file for the session, in a directory that exists. The client creates the file if there is none. */
  readonly sessionFile: string
  /** Encrypts the session file: 32 bytes in base64. */
  readonly sessionKey?: Redacted.Redacted | undefined
  /** Former session keys, which still decrypt the session file but never encrypt it. They need a `sessionKey`. */
  readonly previousSessionKeys?: ReadonlyArray<Redacted.Redacted> | undefined
}

/**
 * The options of {@link layerConfig}: each is a value or a `Config`, and replaces what the variables say.
 *
 * @since 0.1.0
 * @category models
 */
export type Overrides = { readonly [K in keyof Options]?: Options[K] | Config.Config<Options[K]> }

const withDefaults = (options: Connections = {}): NodeHttpClient.Options => {
  const { ca, clientCertificate, connections = 64, noProxy, proxy, reuse = "reads" } = options
  return { ca, clientCertificate, connections, noProxy, proxy, reuse }
}

/**
 * The HTTP client: HTTP/2 where ALPN chooses it, otherwise HTTP/1.1 over undici. Over HTTP/1.1, each write has a new
 * connection ({@link Reuse}). The client follows no redirects. A request that
 * failed or timed out while it waited for a connection was certainly not sent. Over HTTP/2, a request also counts as
 * certainly not sent if the service refused it with `REFUSED_STREAM`, or if its stream comes after the last stream of
 * the service's GOAWAY.
 *
 * A wrong `proxy`, `ca` or `clientCertificate` is a defect in this layer, but a typed error in {@link layer}.
 *
 * The client reads each answer whole, up to 10 MiB or the limit of `HttpIncomingMessage.MaxBodySize`. It creates no
 * span and sends no trace headers: the calls of the SDK have spans of their own.
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/authentication"
 * import { Environment } from "@effect-custody/core"
 * import { NodeCustody } from "@effect-custody/node"
 * import { Custody } from "@effect-custody/sdk"
 * import { Layer } from "effect"
 *
 * const live = Custody.layer({ environment: Environment.emulator("http://127.0.0.1:4010/api/integration") }).pipe(
 *   Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClient = (options?: Connections): Layer.Layer<HttpClient.HttpClient> =>
  NodeHttpClient.layer(withDefaults(options))

/**
 * {@link layerHttpClient} from the configuration: through the proxy that `HTTPS_PROXY` and `NO_PROXY` name, as {@link
 * layerConfig} does. For a client whose session is in another store. Fails with `ConfigurationInvalid` if an option or
 * the proxy is wrong.
 *
 * @example
 * ```ts
 * import { EnvironmentConfig } from "@effect-custody/sdk"
 * import { NodeCustody } from "@effect-custody/node"
 * import { TokenStorePostgres } from "@effect-custody/postgres"
 * import { Custody } from "@effect-custody/sdk"
 * import { Layer } from "effect"
 *
 * const live = Custody.layerConfig({
 *   environment: EnvironmentConfig.environment,
 *   apiKey: EnvironmentConfig.apiKey
 * }).pipe(Layer.provide([NodeCustody.layerHttpClientConfig(), TokenStorePostgres.layer()]))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClientConfig = (
  options?: Connections
): Layer.Layer<HttpClient.HttpClient, ConfigurationInvalid | Config.ConfigError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const connections = withDefaults({ ...(yield* Configuration.proxy), ...options })
      yield* checkConnections(connections)
      return NodeHttpClient.layer(connections)
    })
  )

/**
 * Finds the protocol that {@link layerHttpClient} speaks with the service of an environment. Makes one connection, and
 * sends no request. Returns `undefined` if the connection fails. Without `egress`, uses the proxy of {@link
 * layerConfig}.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 * import { NodeCustody } from "@effect-custody/node"
 *
 * const protocol = NodeCustody.negotiateProtocol(Environment.production({ subdomain: "acme", host: "custody.example" }))
 * ```
 *
 * @since 0.1.0
 * @category inspection
 */
export const negotiateProtocol = (
  { baseUrl }: Environment,
  egress?: Egress
): Effect.Effect<"HTTP/2" | "HTTP/1.1" | undefined, Config.ConfigError> =>
  Effect.gen(function* () {
    return yield* NodeHttpClient.negotiateProtocol(new URL(baseUrl), egress ?? (yield* Configuration.proxy))
  })

/**
 * A client whose session survives the process.
 *
 * Fails with `ConfigurationInvalid` if an option is wrong. Also fails with it on a runtime without undici, such as Bun,
 * if there is no `httpClient`. Fails with `TokenStoreError` if the session file cannot be used, and with
 * `SessionOfAnotherEnvironment` if the file holds a session of another service. In the last case, the client sends
 * nothing and leaves the file as it was.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 * import { NodeCustody } from "@effect-custody/node"
 *
 * const live = NodeCustody.layer({
 *   environment: Environment.production({ subdomain: "acme", host: "custody.example" }),
 *   sessionFile: "/var/lib/payouts/session.db"
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<CustodyClient | TokenService, Custody.LayerError> =>
  Layer.unwrap(checked(options))

const isPositive = Schema.is(Schema.Int.check(Schema.isGreaterThan(0)))

/** Fails if an option of the connections is wrong. */
const checkConnections = Effect.fnUntraced(function* (options: NodeHttpClient.Options) {
  if (!isPositive(options.connections)) {
    return yield* new ConfigurationInvalid({ option: "connections", reason: "must be a positive integer" })
  }
  yield* Effect.fromResult(EgressOptions.make(options))
})

/** An empty store for `checkKeys`, because only `RowStore.make` checks keys, and `RowStore.make` needs a store. */
const nothing: Rows = { load: () => Effect.succeedNone, compareAndSwap: () => Effect.succeed(false) }

/** Fails if a key is not valid, or if there are only former keys. */
const checkKeys = ({
  previousSessionKeys: previousKeys,
  sessionKey: key
}: Pick<Options, "sessionKey" | "previousSessionKeys">) =>
  Effect.mapError(
    RowStore.make(nothing, { key, previousKeys }),
    ({ option, reason }) =>
      new ConfigurationInvalid({
        option: option === "key" ? "sessionKey" : option.replace("previousKeys", "previousSessionKeys"),
        reason
      })
  )

/** Checks every option, and then makes the layer. Touches no file before all options are valid. */
const checked = Effect.fnUntraced(function* (options: Options) {
  const { previousSessionKeys: previousKeys = [], sessionFile: path, sessionKey: key } = options
  const connections = withDefaults(options)
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  yield* Custody.validate(options)
  if (!SqliteFile.isPath(path)) return yield* invalid("sessionFile", "must be the path of a file")
  yield* checkKeys(options)
  yield* checkConnections(connections)
  yield* NodeHttpClient.supportsRuntime
  const keys = key === undefined ? [] : [key, ...previousKeys]
  return Custody.layer({ ...options, secrets: [...(options.secrets ?? []), ...keys] }).pipe(
    Layer.provide([layerHttpClient(connections), TokenStoreSqlite.layer({ filename: path, key, previousKeys })])
  )
})

/**
 * Reads and checks the session keys as {@link layerConfig} does, for a store other than the session file. Fails with
 * `ConfigurationInvalid` if `CUSTODY_SESSION_KEY` is empty. Also fails with it if `CUSTODY_SESSION_KEY` is not set but
 * a variable such as `CUSTODY_SESSION_KEY_FILE` is, because the client does not read that variable.
 *
 * @example
 * ```ts
 * import { NodeCustody } from "@effect-custody/node"
 * import { TokenStorePostgres } from "@effect-custody/postgres"
 * import { Effect, Layer } from "effect"
 *
 * const store = Layer.unwrap(
 *   Effect.map(NodeCustody.sessionKeysConfig, ({ previousSessionKeys, sessionKey }) =>
 *     TokenStorePostgres.layer({ key: sessionKey, previousKeys: previousSessionKeys })
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category configuration
 */
export const sessionKeysConfig: Effect.Effect<Configuration.Keys, ConfigurationInvalid | Config.ConfigError> =
  Effect.tap(Configuration.keys({}), (keys) => Effect.mapError(checkKeys(keys), Configuration.ofVariable({})))

/**
 * The contract in a file, as `CUSTODY_CONTRACT_FILE` names one: a TypeScript or JavaScript module whose default export is
 * the layer of `Adapter.layer`. Its imports of `effect` and `@effect-custody` come from this program's own packages, so
 * that the file may lie anywhere. Fails with `ConfigurationInvalid`.
 *
 * @since 0.1.0
 * @category configuration
 */
export const contractLayer: (file: string) => Layer.Layer<never, ConfigurationInvalid> = Configuration.contractLayer

const resolve = (overrides: Overrides): Config.Config<Partial<Options>> => {
  const configs: Record<string, Config.Config<any>> = {}
  for (const [option, value] of Object.entries(overrides)) {
    configs[option] = Config.isConfig(value) ? value : Config.succeed(value)
  }
  return Config.all(configs)
}

const fromConfig = (overrides: Overrides) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const given = yield* resolve(overrides)
      const { contractFile, ...settings } = yield* Configuration.settings(given)
      const options = { ...(yield* Configuration.proxy), ...given, ...settings }
      const live = yield* Effect.mapError(checked(options), Configuration.ofVariable(given))
      return contractFile === undefined ? live : Layer.provide(live, contractLayer(contractFile))
    })
  )

const fromVariables = fromConfig({})

/**
 * {@link layer} from the configuration: `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and `CUSTODY_ENVIRONMENT` (`production` or
 * `sandbox`), or `CUSTODY_BASE_URL` (with `CUSTODY_ENVIRONMENT=emulator`, if an emulator is there);
 * `CUSTODY_SESSION_FILE`; and, optionally, `CUSTODY_API_KEY`, `CUSTODY_SESSION_KEY`, `CUSTODY_PREVIOUS_SESSION_KEYS`
 * (former keys, separated by commas), and `CUSTODY_CONTRACT_FILE`; and `HTTPS_PROXY` and `NO_PROXY`, or `https_proxy` and `no_proxy`. An empty variable counts as
 * not set, but an empty `CUSTODY_SESSION_KEY` is refused. A nested `ConfigProvider` works.
 *
 * An option in `overrides` replaces its variables, which are then not read; a `Config` there reads variables of its own.
 * With another `environment`, `CUSTODY_API_KEY` is not read either, because that key belongs to another service.
 * Without `overrides`, each call returns the same layer. With `overrides`, assign the layer to a constant.
 *
 * Fails with a `ConfigurationInvalid` that names all missing variables. Also fails with it if two settings may
 * contradict each other: `CUSTODY_BASE_URL` and `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST`, or a `CUSTODY_ENVIRONMENT`
 * other than `emulator`; or `CUSTODY_CONTRACT_FILE` and a contract that the program provides to this layer.
 *
 * @example
 * ```ts
 * import { NodeCustody } from "@effect-custody/node"
 * import { Vaults } from "@effect-custody/sdk"
 * import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
 * import { Effect } from "effect"
 *
 * Vaults.details().pipe(Effect.tap(Effect.log), Effect.provide(NodeCustody.layerConfig()), NodeRuntime.runMain)
 * ```
 *
 * @example
 * ```ts
 * import { NodeCustody } from "@effect-custody/node"
 * import { Environment } from "@effect-custody/sdk"
 * import { Config } from "effect"
 *
 * const treasury = NodeCustody.layerConfig({
 *   environment: Config.map(Config.String("TREASURY_URL"), Environment.at),
 *   sessionFile: Config.String("TREASURY_SESSION_FILE"),
 *   apiKey: Config.Redacted("TREASURY_API_KEY"),
 *   limits: { requestsPerSecond: 20 }
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  overrides?: Overrides
): Layer.Layer<CustodyClient | TokenService, Custody.LayerError | Config.ConfigError> =>
  overrides === undefined ? fromVariables : fromConfig(overrides)
