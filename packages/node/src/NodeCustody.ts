/**
 * One ready layer for Node: undici as the HTTP client, a SQLite file for the session.
 *
 * @since 0.1.0
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type Rows, TokenStore } from "@effect-custody/authentication/TokenStore"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenService } from "@effect-custody/core/TokenService"
import * as WireContract from "@effect-custody/core/WireContract"
import * as Custody from "@effect-custody/sdk/Custody"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as UndiciHttpClient from "./internal/undiciHttpClient.ts"
import * as TokenStoreSqlite from "./TokenStoreSqlite.ts"

/**
 * Which requests may go over a connection that another one has used.
 *
 * HTTP/1.1 does not tie an answer to its request. If a server, or a proxy before it, sends one answer too many, the next
 * request on that connection gets it. A connection on which unrequested bytes have arrived is never used again, but
 * bytes that are still on their way when the next request is written cannot be detected in time.
 *
 * - `reads`: only reads reuse connections. A write has a connection of its own, so its answer is its own. From such a
 *   server, a read may still get the answer to another one.
 * - `none`: every request has a connection of its own. For a service that does send such answers.
 * - `all`: every request reuses connections. For a program that cannot afford one for each write (a handshake: two round
 *   trips, and 3 ms of CPU).
 *
 * A new connection is also never one that the service is just about to close, the most frequent cause of an unknown
 * outcome. The authentication endpoints always have a connection of their own.
 *
 * @since 0.1.0
 * @category models
 */
export type Reuse = UndiciHttpClient.Reuse

/**
 * How many connections there are, and what goes over them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Connections {
  /**
   * The most connections that are open for reads, for writes, and for the authentication endpoints each; further
   * requests wait. Default: 64.
   */
  readonly connections?: number | undefined
  /** Which requests may use a connection again: see {@link Reuse}. Default: `reads`. */
  readonly reuse?: Reuse | undefined
}

/**
 * How to reach the service from Node, and where to keep the session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Custody.Options, Connections {
  /** The SQLite file for the session, in a directory that exists. It is created if there is none. */
  readonly sessionFile: string
  /** Encrypts the session file: 32 bytes in base64. */
  readonly sessionKey?: Redacted.Redacted | undefined
}

const withDefaults = ({ connections = 64, reuse = "reads" }: Connections = {}): UndiciHttpClient.Options => ({
  connections,
  reuse
})

/**
 * The HTTP client: undici, with a bounded number of connections, a new one for each write ({@link Reuse}), and no
 * redirects. A request that was still waiting for a connection when it failed or timed out was certainly not sent.
 *
 * An answer is read whole, up to 10 MiB or what `HttpIncomingMessage.MaxBodySize` allows. The client creates no span and
 * sends no trace headers: the calls of the SDK have spans of their own.
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/authentication"
 * import { Environment } from "@effect-custody/core"
 * import { NodeCustody } from "@effect-custody/node"
 * import { Custody } from "@effect-custody/sdk"
 * import { Layer } from "effect"
 *
 * const live = Custody.layer({ environment: Environment.local("http://127.0.0.1:4010/api/integration") }).pipe(
 *   Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClient = (options?: Connections): Layer.Layer<HttpClient.HttpClient> =>
  UndiciHttpClient.layer(withDefaults(options))

/**
 * Effect's own client over undici, which also knows when a request is written. Use it in programs that share the client
 * with other services and need what {@link layerHttpClient} does not have: streamed bodies, upgrades. Calls cost more.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClientPlatform = (options?: Connections): Layer.Layer<HttpClient.HttpClient> =>
  UndiciHttpClient.layerPlatform(withDefaults(options))

/**
 * A client whose session survives the process.
 *
 * Fails with `ConfigurationInvalid` if an option is wrong, `TokenStoreError` if the session file cannot be used, and
 * `SessionOfAnotherEnvironment` if it holds a session of another service; nothing is sent then, and the file is as it
 * was.
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
  Layer.unwrap(
    Effect.map(validated(options), ({ connections, key, path }) =>
      Custody.layer({ ...options, secrets: [...(options.secrets ?? []), ...(key === undefined ? [] : [key])] }).pipe(
        Layer.provide([layerHttpClient(connections), TokenStoreSqlite.layer({ path, key })])
      )
    )
  )

const isConnections = Schema.is(Schema.Int.check(Schema.isGreaterThan(0)))
const isReuse = Schema.is(Schema.Literals(["reads", "all", "none"]))

/** SQLite would end a name at a NUL. */
const isPath = Schema.is(Schema.String.check(Schema.isNonEmpty(), Schema.isPattern(/^[^\0]*$/)))

/** An empty store, to check a key. */
const nothing: Rows = { load: () => Effect.succeedNone, compareAndSwap: () => Effect.succeed(false) }

/** Everything is checked before a file is touched. */
const validated = Effect.fnUntraced(function* (options: Options) {
  const { sessionFile: path, sessionKey: key } = options
  const connections = withDefaults(options)
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  yield* Custody.validate(options)
  if (!isConnections(connections.connections)) return yield* invalid("connections", "must be a positive integer")
  if (!isReuse(connections.reuse)) return yield* invalid("reuse", "must be reads, all or none")
  if (!isPath(path)) return yield* invalid("sessionFile", "must be the path of a file")
  yield* Effect.mapError(TokenStore.make(nothing, { key }), ({ reason }) => invalid("sessionKey", reason))
  return { connections, path, key }
})

const kinds = ["production", "sandbox"] as const
const isKind = Schema.is(Schema.Literals(kinds))

const Organization = Config.all({
  subdomain: Config.NonEmptyString("CUSTODY_SUBDOMAIN"),
  host: Config.NonEmptyString("CUSTODY_HOST"),
  kind: Config.Literals(kinds, "CUSTODY_ENVIRONMENT")
})

const isUnset = (name: string) => Effect.map(Config.option(Config.String(name)), Option.isNone)

const organizationVariables = ["CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"] as const

/** Why `CUSTODY_BASE_URL` is refused, if it is set together with variables that may mean another service. */
const contradiction = Effect.gen(function* () {
  if (yield* isUnset("CUSTODY_BASE_URL")) return undefined
  const others = yield* Effect.filter(organizationVariables, (name) => Effect.map(isUnset(name), (unset) => !unset))
  if (others.length === 0) return undefined
  return `set together with ${others.join(", ")}: it is not certain which service is meant. Keep one or the other`
})

/**
 * The environment from the configuration: `CUSTODY_BASE_URL`, or `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and
 * `CUSTODY_ENVIRONMENT`. Fails if both are set.
 *
 * @since 0.1.0
 * @category configuration
 */
export const environmentConfig: Config.Config<Environment.Environment> = Config.option(
  Config.NonEmptyString("CUSTODY_BASE_URL")
).pipe(
  Config.mapEffect(
    Option.match({
      onSome: (url) =>
        Effect.flatMap(contradiction, (reason) =>
          reason === undefined
            ? Effect.succeed(Environment.local(url))
            : Effect.fail(
                new Config.ConfigError(new ConfigProvider.SourceError({ message: `CUSTODY_BASE_URL: ${reason}` }))
              )
        ),
      onNone: () =>
        Effect.map(Organization, ({ host, kind, subdomain }) =>
          kind === "production" ? Environment.production({ subdomain, host }) : Environment.sandbox({ subdomain, host })
        )
    })
  )
)

const Configured = Config.all({
  environment: environmentConfig,
  sessionFile: Config.NonEmptyString("CUSTODY_SESSION_FILE"),
  apiKey: Config.option(Config.Redacted("CUSTODY_API_KEY")),
  sessionKey: Config.option(Config.Redacted("CUSTODY_SESSION_KEY")),
  contractFile: Config.option(Config.NonEmptyString("CUSTODY_CONTRACT_FILE"))
})

/** The contract of a file. Only this needs the whole API, so it is loaded on demand. */
const contractOf = Option.match({
  onNone: () => Layer.empty,
  onSome: (file: string) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("@effect-custody/sdk/CustodyApi")),
        ({ CustodyApi }) => WireContract.layerFile(file, CustodyApi)
      )
    ).pipe(
      Layer.provide(NodeFileSystem.layer),
      Layer.catch(({ message }) =>
        Layer.effectDiscard(Effect.fail(new ConfigurationInvalid({ option: "CUSTODY_CONTRACT_FILE", reason: message })))
      )
    )
})

/** Fails with the names of all variables that are needed and not set, or if it is not certain which service is meant. */
const assertSet = Effect.gen(function* () {
  const reason = yield* contradiction
  if (reason !== undefined) return yield* new ConfigurationInvalid({ option: "CUSTODY_BASE_URL", reason })
  const organization = (yield* isUnset("CUSTODY_BASE_URL")) ? yield* Effect.filter(organizationVariables, isUnset) : []
  const missing = [...organization, ...(yield* Effect.filter(["CUSTODY_SESSION_FILE"], isUnset))]
  if (missing.length === 0) return
  const instead =
    organization.length === 0
      ? ""
      : ". CUSTODY_BASE_URL, a whole address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT"
  return yield* new ConfigurationInvalid({ option: missing.join(", "), reason: `not set${instead}` })
})

/** Fails if `CUSTODY_ENVIRONMENT` has another value than those that there are. */
const assertKind = Effect.gen(function* () {
  if (!(yield* isUnset("CUSTODY_BASE_URL"))) return
  const kind = yield* Config.String("CUSTODY_ENVIRONMENT")
  if (isKind(kind)) return
  return yield* new ConfigurationInvalid({
    option: "CUSTODY_ENVIRONMENT",
    reason: `must be ${kinds.join(" or ")}`
  })
})

/** Whether `CUSTODY_SESSION_KEY` is set, even if it is empty: a provider reads an empty variable as none. */
const namesSessionKey = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const lists = (path: ReadonlyArray<string>, name: string) =>
    Effect.map(provider.load([...path]), (node) => node?._tag === "Record" && node.keys.has(name))
  // Of the environment, a name is a path whose parts are joined by "_".
  return (yield* lists(["CUSTODY", "SESSION"], "KEY")) || (yield* lists([], "CUSTODY_SESSION_KEY"))
}).pipe(Effect.orElseSucceed(() => false))

/** The variable of each option that {@link layer} checks. */
const variableOf: Readonly<Record<string, string>> = {
  "environment.subdomain": "CUSTODY_SUBDOMAIN",
  "environment.host": "CUSTODY_HOST",
  "environment.url": "CUSTODY_BASE_URL",
  apiKey: "CUSTODY_API_KEY",
  sessionFile: "CUSTODY_SESSION_FILE",
  sessionKey: "CUSTODY_SESSION_KEY"
}

const configured = Effect.gen(function* () {
  yield* assertSet
  yield* assertKind
  const { apiKey, contractFile, environment, sessionFile, sessionKey } = yield* Configured
  if (Option.isNone(sessionKey) && (yield* namesSessionKey)) {
    const reason = "is empty: give 32 bytes in base64, or leave it out to store the session in clear text"
    return yield* new ConfigurationInvalid({ option: "CUSTODY_SESSION_KEY", reason })
  }
  const options = {
    environment,
    sessionFile,
    apiKey: Option.getOrUndefined(apiKey),
    sessionKey: Option.getOrUndefined(sessionKey)
  }
  yield* Effect.mapError(
    validated(options),
    ({ option, reason }) => new ConfigurationInvalid({ option: variableOf[option] ?? option, reason })
  )
  return layer(options).pipe(Layer.provide(contractOf(contractFile)))
})

/**
 * {@link layer} from the configuration: `CUSTODY_BASE_URL`, or `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and
 * `CUSTODY_ENVIRONMENT` (`production` or `sandbox`); `CUSTODY_SESSION_FILE`; and, optionally, `CUSTODY_API_KEY`,
 * `CUSTODY_SESSION_KEY`, and `CUSTODY_CONTRACT_FILE` (a contract file for `WireContract`). An empty variable counts as
 * none, except that an empty `CUSTODY_SESSION_KEY` is refused. Fails with a `ConfigurationInvalid` that names all missing
 * variables, or says that `CUSTODY_BASE_URL` is set together with another service's.
 *
 * @example
 * ```ts
 * import { NodeCustody } from "@effect-custody/node"
 * import { Vaults } from "@effect-custody/sdk"
 * import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
 * import { Effect } from "effect"
 *
 * Vaults.details().pipe(Effect.tap(Effect.log), Effect.provide(NodeCustody.layerConfig), NodeRuntime.runMain)
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig: Layer.Layer<CustodyClient | TokenService, Custody.LayerError | Config.ConfigError> =
  Layer.unwrap(configured)
