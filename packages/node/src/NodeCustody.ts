/**
 * One ready layer for Node: undici as the HTTP client, a SQLite file for the session.
 *
 * @since 0.1.0
 */
import { type Rows, TokenStore } from "@effect-custody/authentication/TokenStore"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenService } from "@effect-custody/core/TokenService"
import * as Custody from "@effect-custody/sdk/Custody"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as UndiciHttpClient from "./internal/undiciHttpClient.ts"
import * as TokenStoreSqlite from "./TokenStoreSqlite.ts"

/**
 * How to reach the service from Node, and where to keep the session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Custody.Options {
  /** The SQLite file that the session is kept in; it is created if there is none, in a directory that exists. */
  readonly sessionFile: string
  /** Encrypts the session file: 32 bytes in base64. */
  readonly sessionKey?: Redacted.Redacted | undefined
  /** How many connections are open at most; further calls wait for one. Default: 64. */
  readonly connections?: number | undefined
}

const defaultConnections = 64

/**
 * The HTTP client: undici, with a bounded number of connections, and no redirects. A request that was still waiting
 * for a connection when it failed, or when time ran out, is known not to have been sent.
 *
 * An answer is read whole before it is given, up to 10 MiB or what `HttpIncomingMessage.MaxBodySize` allows. The
 * client makes no span and sends no trace headers: the calls of the SDK have spans of their own.
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
export const layerHttpClient = (options?: {
  /** How many connections are open at most; further calls wait for one. Default: 64. */
  readonly connections?: number | undefined
}): Layer.Layer<HttpClient.HttpClient> =>
  UndiciHttpClient.layer({ connections: options?.connections ?? defaultConnections })

/**
 * Effect's own client over undici, which also knows when a request is written. It is for programs that share the
 * client with other services and need what {@link layerHttpClient} does not have: streamed bodies, upgrades. A call
 * costs more with it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClientPlatform = (options?: {
  /** How many connections are open at most; further calls wait for one. Default: 64. */
  readonly connections?: number | undefined
}): Layer.Layer<HttpClient.HttpClient> =>
  UndiciHttpClient.layerPlatform({ connections: options?.connections ?? defaultConnections })

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
    Effect.map(validated(options), ({ connections, path, key }) =>
      Custody.layer({ ...options, secrets: [...(options.secrets ?? []), ...(key === undefined ? [] : [key])] }).pipe(
        Layer.provide([layerHttpClient({ connections }), TokenStoreSqlite.layer({ path, key })])
      )
    )
  )

const isConnections = Schema.is(Schema.Int.check(Schema.isGreaterThan(0)))

/** SQLite would end a name at a NUL. */
const isPath = Schema.is(Schema.String.check(Schema.isNonEmpty(), Schema.isPattern(/^[^\0]*$/)))

/** A store of nothing, which shows whether a key is one. */
const nothing: Rows = { load: () => Effect.succeedNone, compareAndSwap: () => Effect.succeed(false) }

/** Everything is checked before a file is touched. */
const validated = Effect.fnUntraced(function* (options: Options) {
  const { connections = defaultConnections, sessionFile: path, sessionKey: key } = options
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  yield* Custody.validate(options)
  if (!isConnections(connections)) return yield* invalid("connections", "must be a positive integer")
  if (!isPath(path)) return yield* invalid("sessionFile", "must be the path of a file")
  yield* Effect.mapError(TokenStore.make(nothing, { key }), ({ reason }) => invalid("sessionKey", reason))
  return { connections, path, key }
})

const Organization = Config.all({
  subdomain: Config.NonEmptyString("CUSTODY_SUBDOMAIN"),
  host: Config.NonEmptyString("CUSTODY_HOST"),
  kind: Config.Literals(["production", "sandbox"], "CUSTODY_ENVIRONMENT")
})

const configuredEnvironment = Config.option(Config.NonEmptyString("CUSTODY_BASE_URL")).pipe(
  Config.mapEffect(
    Option.match({
      onSome: (url) => Effect.succeed(Environment.local(url)),
      onNone: () =>
        Effect.map(Organization, ({ host, kind, subdomain }) =>
          kind === "production" ? Environment.production({ subdomain, host }) : Environment.sandbox({ subdomain, host })
        )
    })
  )
)

const Configured = Config.all({
  environment: configuredEnvironment,
  sessionFile: Config.NonEmptyString("CUSTODY_SESSION_FILE"),
  apiKey: Config.option(Config.Redacted("CUSTODY_API_KEY")),
  sessionKey: Config.option(Config.Redacted("CUSTODY_SESSION_KEY"))
})

/**
 * The same, from the configuration: `CUSTODY_BASE_URL`, or `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and
 * `CUSTODY_ENVIRONMENT` (`production` or `sandbox`); `CUSTODY_SESSION_FILE`; and, where wanted, `CUSTODY_API_KEY` and
 * `CUSTODY_SESSION_KEY`. An empty variable counts as none.
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
  Layer.unwrap(
    Effect.map(Configured, ({ apiKey, environment, sessionFile, sessionKey }) =>
      layer({
        environment,
        sessionFile,
        apiKey: Option.getOrUndefined(apiKey),
        sessionKey: Option.getOrUndefined(sessionKey)
      })
    )
  )
