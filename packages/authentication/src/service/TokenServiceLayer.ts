/**
 * The layer that keeps a session. All fibers and processes share one refresh at a time. New tokens are stored before
 * use.
 */
import { requestIdHeaders } from "@effect-custody/core/CustodyClient"
import { RetryPolicy } from "@effect-custody/core/RetryPolicy"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import {
  NoSession,
  type SessionError,
  type SessionOfAnotherEnvironment,
  type TokenStoreError
} from "@effect-custody/core/SessionError"
import { Listener } from "@effect-custody/core/Listener"
import { type AccessToken, type SessionEvent, TokenService } from "@effect-custody/core/TokenService"
import { Transport } from "@effect-custody/core/Transport"
import { Wires } from "@effect-custody/core/Wires"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { isSecret, withFingerprint } from "../endpoint/records.ts"
import * as TokenEndpoint from "../endpoint/tokenEndpoint.ts"
import * as Lease from "../refresh/lease.ts"
import * as Pause from "../refresh/pause.ts"
import * as ProactiveRefresh from "../refresh/proactiveRefresh.ts"
import * as Rotation from "../refresh/rotation.ts"
import * as SessionWriter from "../refresh/sessionWriter.ts"
import * as SingleFlight from "../refresh/singleFlight.ts"
import { ApiKeySource } from "../session/ApiKeySource.ts"
import * as ApiKeys from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import * as SessionTiming from "../session/SessionTiming.ts"
import { now, uptime } from "../store/clock.ts"
import { endReason, refreshIntent } from "../store/record.ts"
import * as RecordStore from "../store/recordStore.ts"
import { TokenStore } from "../store/TokenStore.ts"
import * as RejectedToken from "../refresh/rejectedToken.ts"
import * as SessionTelemetry from "./sessionTelemetry.ts"

/**
 * The session to keep, and its settings.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The name of the session in its store, 1 to 255 characters. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. The SDK sends it at most once. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** The session's times. Default: `SessionTiming.standard`. */
  readonly timing?: TimingOptions | undefined
  /** The headers that an error keeps for support. Default: `x-request-id`, `x-correlation-id` and `traceparent`. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
  /** Further secrets that no error may repeat, such as the store's key. The session's secrets are always included. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

type TimingOptions = {
  readonly [K in keyof SessionTiming.SessionTiming]?:
    | (SessionTiming.SessionTiming[K] extends Duration.Duration ? Duration.Input : boolean)
    | undefined
}

const Identity = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(255),
    // UTF-8 encodes all lone surrogates as the same text, so two sessions would share a row.
    Schema.makeFilter((name) => name.isWellFormed(), { message: "must be well-formed Unicode" })
  )
)
const isIdentity = Schema.is(Identity)
const isTiming = Schema.is(Schema.toType(SessionTiming.SessionTiming))

const readOptions = Effect.fnUntraced(function* ({
  apiKey,
  identity: name = "default",
  secrets = [],
  timing: configured
}: Options) {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(name)) return yield* invalid("identity", "must be 1 to 255 characters of well-formed Unicode")
  if (apiKey !== undefined && !ApiKeys.isApiKey(apiKey)) return yield* invalid("apiKey", ApiKeys.apiKeyRule)
  const wrong = secrets.findIndex((secret) => !isSecret(secret))
  if (wrong >= 0) return yield* invalid(`secrets.${wrong}`, "must be a Redacted text")
  const read = Object.entries(configured ?? {}).flatMap(([setting, value]) =>
    value === undefined
      ? []
      : [[setting, typeof value === "boolean" ? value : Option.getOrUndefined(Duration.fromInput(value))]]
  )
  const timing: unknown = { ...SessionTiming.standard, ...Object.fromEntries(read) }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations, and proactive a boolean")
  return { name, timing }
})

const make = Effect.fnUntraced(function* (options: Options) {
  const { name, timing } = yield* readOptions(options)
  const transport = yield* Transport
  const identity = { name, environment: transport.environment.baseUrl }
  const tokenStore = yield* TokenStore
  const source = yield* ApiKeySource
  const contract = yield* Wires
  const listener = yield* Listener
  const owner = yield* Lease.newOwner
  const scope = yield* Effect.scope

  const stateRef = yield* Ref.make(SessionState.initial)

  const receivers = new Set<(event: SessionEvent) => void>()
  const telemetry = yield* SessionTelemetry.make({ identity: name, listener, state: stateRef })
  const observe = (event: SessionEvent) => Effect.andThen(telemetry.observe(event), refreshInTime)
  const state = SessionState.access({ ref: stateRef, receivers, observe })
  const sessionSecrets = SessionState.secrets(options.apiKey)
  const secrets = Effect.map(state.get, (now) => [...(options.secrets ?? []), ...sessionSecrets(now)])

  // When the layer closes, new tokens are stored before claims are withdrawn.
  yield* Effect.addFinalizer(() => Effect.suspend(() => Effect.andThen(writer.writeOnShutdown, claims.withdrawSoon)))
  // Added to the scope after the finalizer above, so that the layer closes the rewriter before the finalizer runs.
  const rewriter = yield* FiberHandle.make<void, never>()
  const store = RecordStore.make(tokenStore, identity, timing)
  const flight = SingleFlight.make({ identity: name, scope, state: stateRef })
  const parts = { identity, timing, owner, state, store }
  const apiKeys = ApiKeys.make(parts, options.apiKey, source)
  const exchange = TokenEndpoint.make({
    transport,
    contract,
    listener,
    requestIdHeaders: (options.requestIdHeaders ?? requestIdHeaders).map((name) => name.toLowerCase()),
    secrets
  })
  const claims = Lease.claims(parts)
  const writer = SessionWriter.make(parts, rewriter)
  const pause = Pause.make(parts, (yield* RetryPolicy).session.schedule)
  const rotation = telemetry.rotation(Rotation.make({ ...parts, writer, claims, apiKeys, exchange, pause }))
  const patient: Rotation.Rotation = (...purpose) => pause.withStore(rotation(...purpose))
  const shared = { ...parts, flight, apiKeys, rotation: patient }
  const tokens = RejectedToken.tokens(shared)
  const reload = RejectedToken.reload(shared, tokens)

  const current = Effect.gen(function* () {
    return SessionState.currentToken(yield* state.get) ?? (yield* tokens.recover)
  })

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    if (!ApiKeys.isApiKey(apiKey)) {
      return yield* new NoSession({ identity: name, reason: `the API key ${ApiKeys.apiKeyRule}` })
    }
    return yield* flight.runAfter(rotation({ _tag: "Start", key: withFingerprint(apiKey), replaces: true }))
  })

  const follow = yield* ProactiveRefresh.make(timing, (due) => tokens.refresh(due, false))
  const refreshInTime = Effect.flatMap(state.get, (known) => follow(SessionState.liveSession(known)))

  // Load the record before the first call, because a record of another environment makes the layer fail.
  const { record } = yield* store.load
  yield* apiKeys.noteUnused(record)
  const { session } = record
  if (session !== undefined) {
    const intent = refreshIntent(record, session)
    const ambiguousSince = intent?.ambiguous === true ? intent.since : undefined
    yield* state.update({
      session,
      usedSince: (yield* uptime) - Math.max(0, (yield* now) - session.obtainedAt),
      end: endReason(identity, record),
      ambiguousSince
    })
  }
  yield* refreshInTime

  return TokenService.of({
    current,
    inUse: () => SessionState.currentToken(Ref.getUnsafe(stateRef)),
    accepted: state.accepted,
    rotate: tokens.rotate,
    reload: (...rejected) => pause.withStore(reload(...rejected)),
    start,
    settled: Effect.andThen(flight.settled, writer.settled),
    secrets,
    status: Effect.map(state.get, SessionState.status(name)),
    subscribe: (receive) => {
      // Wrap `receive` in a new function, so that each subscription removes only itself.
      const receiver = (event: SessionEvent) => receive(event)
      return Effect.acquireRelease(
        Effect.sync(() => void receivers.add(receiver)),
        () => Effect.sync(() => void receivers.delete(receiver))
      )
    }
  })
})

/**
 * Checks the options of {@link layer}. Fails with `ConfigurationInvalid` if an option is wrong.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = (options: Options): Effect.Effect<void, ConfigurationInvalid> =>
  Effect.asVoid(readOptions(options))

/**
 * The `TokenService` of one session, over a transport and a store. Fails with `ConfigurationInvalid` if an option is
 * wrong, `TokenStoreError` if the store cannot be read, and `SessionOfAnotherEnvironment` if the stored session belongs
 * to another environment. Nothing is sent before the first call.
 *
 * Specification: "Authentication", flow and rules a client must observe.
 *
 * @example
 * ```ts
 * import { TokenServiceLayer, TokenStore } from "@effect-custody/authentication"
 * import { Environment } from "@effect-custody/core"
 * import { Transport } from "@effect-custody/core/Transport"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const environment = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
 *
 * const tokens = TokenServiceLayer.layer({ apiKey: Redacted.make("one-time key") }).pipe(
 *   Layer.provide([TokenStore.layerMemory, Transport.layer({ environment }).pipe(Layer.provide(FetchHttpClient.layer))])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  TokenService,
  ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError,
  Transport | TokenStore
> => Layer.effect(TokenService, make(options))
