/**
 * The layer from an `HttpClient` and a `TokenStore` to a `CustodyClient`.
 *
 * @since 0.1.0
 */
import * as SessionOptions from "@effect-custody/authentication/SessionOptions"
import { TokenService } from "@effect-custody/authentication/TokenService"
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import { type LimitOptions, Transport } from "@effect-custody/core/siblings/Transport"
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as Scope from "effect/Scope"
import * as EnvironmentConfig from "./EnvironmentConfig.ts"
import * as SessionClaims from "./internal/sessionClaims.ts"
import { version } from "./internal/version.ts"

/**
 * The options of a client: its service, its session, and its bounds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends SessionOptions.SessionOptions {
  readonly environment: Environment.Environment
  /** The policy of calls without one of their own. */
  readonly retry?: RetryPolicy.RetryPolicy | undefined
  /** The bounds of one exchange, and of the number of exchanges. */
  readonly limits?:
    | (LimitOptions & {
        /**
         * The maximum number of requests that calls send in a second. Further requests wait, within their deadline.
         * Processes with one `RateLimiterStore` of Effect, such as `RateLimiter.layerStoreRedis`, share the limit.
         * Default: no limit.
         */
        readonly requestsPerSecond?: number | undefined
      })
    | undefined
  /**
   * `bodies`: `OtherApiError` and `UnexpectedResponse` keep the beginning of a body that is not as specified. By
   * default an error keeps the code and the messages of an answer, and no other text.
   */
  readonly diagnostics?: "bodies" | undefined
  /** The `User-Agent` of every request; `false` sets none. Default: the SDK with its version, and the runtime. */
  readonly userAgent?: string | false | undefined
}

/**
 * The errors of building the layer. It sent nothing, and changed nothing in the store.
 *
 * @since 0.1.0
 * @category errors
 */
export type LayerError = ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError

/**
 * The maximum size of an answer with tokens, in bytes: two tokens of 100,000 characters, and the text around them.
 */
const maxTokensBytes = 256 * 1024

/** `true` in a browser, and in a test in jsdom. */
const isBrowser = (): boolean => "window" in globalThis && "document" in globalThis

const isPositiveInteger = (value: number): boolean => Number.isSafeInteger(value) && value > 0

/** The user agent, such as `effect-custody/0.1.0 (Node.js/24)`. */
const resolveUserAgent = ({ userAgent }: Options): string | undefined => {
  if (userAgent !== undefined) return userAgent === false ? undefined : userAgent
  const runtime = globalThis.navigator?.userAgent
  return `effect-custody/${version}${runtime === undefined ? "" : ` (${runtime})`}`
}

/**
 * Checks the options as {@link layer} does, without touching a store or a service. Fails with `ConfigurationInvalid`.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<void, ConfigurationInvalid> {
  const { requestsPerSecond, ...limits } = options.limits ?? {}
  const { environment } = yield* Transport.validate({
    environment: options.environment,
    limits,
    userAgent: resolveUserAgent(options)
  })
  if (Environment.isReal(environment) && isBrowser()) {
    const reason =
      "there is a window and a document: keep tokens and the API key out of a browser. A test in jsdom reaches an " +
      "emulator (Environment.emulator)"
    return yield* new ConfigurationInvalid({ option: "environment", reason })
  }
  yield* SessionOptions.validate(options)
  if (requestsPerSecond !== undefined && !isPositiveInteger(requestsPerSecond)) {
    const reason = "must be a positive integer"
    return yield* new ConfigurationInvalid({ option: "limits.requestsPerSecond", reason })
  }
})

const loadRateLimit = Effect.promise(() => import("./internal/rateLimit.ts"))

/** Makes the client from checked options. */
const makeClient = (options: Options): ReturnType<typeof layer> => {
  const { diagnostics, environment, requestIdHeaders, retry, timing } = options
  const { requestsPerSecond, ...limits } = options.limits ?? {}
  const rateLimit =
    requestsPerSecond === undefined
      ? Layer.empty
      : Layer.unwrap(
          Effect.map(loadRateLimit, (RateLimit) =>
            RateLimit.layer({ requestsPerSecond, key: SessionClaims.sessionName(options) })
          )
        )
  const userAgent = resolveUserAgent(options)
  const attemptTimeout = timing?.requestTimeout ?? SessionOptions.standard.requestTimeout
  return CustodyClient.layer({ diagnostics, requestIdHeaders }).pipe(
    Layer.provide([Transport.layer({ environment, limits, userAgent }), rateLimit]),
    Layer.provideMerge(
      TokenService.layer(options).pipe(
        // A refresh has limits of its own: a shorter time or a smaller size for calls must not lose its answer.
        Layer.provide(
          Transport.layer({
            environment,
            limits: { ...limits, attemptTimeout, maxResponseBytes: maxTokensBytes },
            userAgent
          })
        )
      )
    ),
    Layer.provide(retry === undefined ? Layer.empty : Layer.succeed(RetryPolicy.RetryPolicy, retry))
  )
}

/**
 * A client for one session of one environment.
 *
 * Two clients over one store, such as the one `TokenStore.layerMemory` of a program, need an `identity` each: with one
 * identity in one environment they share a session. Fails with `ConfigurationInvalid` if they have different API keys.
 * Fails with it too if `window` and `document` exist, except for an emulator: tokens must not be in a browser.
 *
 * Specification: "Authentication".
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/authentication"
 * import { Environment } from "@effect-custody/core"
 * import { Custody } from "@effect-custody/sdk"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const live = Custody.layer({
 *   environment: Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }),
 *   apiKey: Redacted.make("one-time key")
 * }).pipe(Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer]))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<CustodyClient | TokenService, LayerError, HttpClient.HttpClient | TokenStore> =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* validate(options)
      yield* SessionClaims.claim(yield* TokenStore, {}, options)
      return makeClient(options)
    })
  )

/**
 * Waits until no refresh is under way, and its tokens are stored. Run it before each return to a runtime that freezes the
 * process, such as Lambda, and set `timing: { proactive: false }`: otherwise a refresh may begin after this wait. The
 * wait is bounded as for a closing client, and a caller may stop waiting at any time, which changes nothing. Sends
 * nothing, and never fails.
 *
 * @example
 * ```ts
 * import { Custody, Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const invocation = Vaults.details().pipe(Effect.ensuring(Custody.awaitStored))
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const awaitStored: Effect.Effect<void, never, TokenService> = TokenService.use((tokens) => tokens.awaitStored)

/**
 * {@link layer} from the configuration, on any runtime with an `HttpClient`. Without `options`, it reads the variables
 * of `EnvironmentConfig.environment` and `EnvironmentConfig.apiKey`. With `options`, it reads the given `Config`s and no
 * other variable. A nested `ConfigProvider` works.
 *
 * @example
 * ```ts
 * import { Custody, Environment, TokenStore } from "@effect-custody/sdk"
 * import { Config, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const treasury = Custody.layerConfig({
 *   environment: Config.map(Config.String("TREASURY_URL"), Environment.at),
 *   apiKey: Config.Redacted("TREASURY_API_KEY"),
 *   limits: { requestsPerSecond: Config.Int("TREASURY_RATE") }
 * }).pipe(Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer]))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Wrap<Options> = { environment: EnvironmentConfig.environment, apiKey: EnvironmentConfig.apiKey }
): Layer.Layer<CustodyClient | TokenService, LayerError | Config.ConfigError, HttpClient.HttpClient | TokenStore> =>
  Layer.unwrap(Effect.map(Config.unwrap<Options>(options), layer))

/**
 * Makes the clients of several sessions, by a key such as the name of an organization. The map builds each client on
 * first use, builds it again after a failure, and releases it when it is unused for a while. All clients share the store
 * and the `HttpClient`. The key is the session's name in the store, unless the options have another `identity`.
 *
 * Two keys with one `identity` in one environment share a session. The key that is used later fails with
 * `ConfigurationInvalid` if it has another API key.
 *
 * `optionsFor` may be an Effect, because keys live in a vault or a database. Its errors are those of the client's layer. A
 * client that is built again looks the options up again.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 * import { Custody, Vaults } from "@effect-custody/sdk"
 * import { Config, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const clients = yield* Custody.makeLayerMap(
 *     Effect.fn(function* (subdomain: string) {
 *       const apiKey = yield* Config.Redacted(`${subdomain.toUpperCase()}_API_KEY`)
 *       return { environment: Environment.production({ subdomain, host: "custody.example" }), apiKey }
 *     }),
 *     { idleTimeToLive: "10 minutes" }
 *   )
 *   return yield* Vaults.details().pipe(Effect.provide(clients.get("acme")))
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeLayerMap = <K extends string, E = never, R = never>(
  optionsFor: (key: K) => Options | Effect.Effect<Options, E, R>,
  settings: {
    /** The time for which the map keeps an unused client. Default: none. */
    readonly idleTimeToLive?: Duration.Input | undefined
  } = {}
): Effect.Effect<
  LayerMap.LayerMap<K, CustodyClient | TokenService, LayerError | E>,
  never,
  HttpClient.HttpClient | TokenStore | Scope.Scope | R
> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const store = yield* TokenStore
    const owners = new Map<K, object>()
    const clientFor = Effect.fnUntraced(function* (key: K) {
      const found = optionsFor(key)
      const given = Effect.isEffect(found) ? yield* found : found
      // The key names the session unless the options do.
      const options = { ...given, identity: given.identity ?? key }
      yield* validate(options)
      const owner = owners.get(key) ?? {}
      owners.set(key, owner)
      // Claimed until the map is closed: the session of a released client is still in the store.
      yield* Scope.provide(SessionClaims.claim(store, owner, options), scope)
      return makeClient(options)
    })
    const clients: LayerMap.LayerMap<K, CustodyClient | TokenService, LayerError | E> = yield* LayerMap.make(
      (key: K) =>
        Layer.unwrap(clientFor(key)).pipe(
          // The map keeps a failed client as long as a working one: a brief failure of the store would last as long.
          Layer.tapCause(() =>
            Effect.forkIn(
              Effect.suspend(() => clients.invalidate(key)),
              scope,
              { startImmediately: true }
            )
          )
        ),
      settings
    )
    return clients
  })
