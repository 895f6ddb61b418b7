/** The layer that keeps a session: one refresh at a time over all fibers and processes, stored before it is used. */
import { requestIdHeaders } from "@effect-custody/core/CustodyClient"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import { Listener } from "@effect-custody/core/Telemetry"
import { type SessionEvent, TokenService as Tag } from "@effect-custody/core/TokenService"
import { Transport } from "@effect-custody/core/unstable/Transport"
import { Wires } from "@effect-custody/core/unstable/Wires"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ApiKeySource } from "./ApiKeySource.ts"
import * as ApiKeys from "./internal/apiKeys.ts"
import * as Claims from "./internal/claims.ts"
import { now, uptime } from "./internal/clock.ts"
import { endOf, environmentMismatch, refreshIntentOf } from "./internal/decision/model.ts"
import * as Lease from "./internal/lease.ts"
import { type Options, validate } from "./internal/options.ts"
import * as ProactiveRefresh from "./internal/proactiveRefresh.ts"
import * as RecordStore from "./internal/recordStore.ts"
import * as Rotation from "./internal/rotation.ts"
import * as SessionTelemetry from "./internal/sessionTelemetry.ts"
import * as SessionState from "./internal/sessionState.ts"
import * as SessionWriter from "./internal/sessionWriter.ts"
import * as SingleFlight from "./internal/singleFlight.ts"
import * as TokenAccess from "./internal/tokenAccess.ts"
import * as TokenEndpoint from "./internal/tokenEndpoint.ts"
import * as Unauthorized from "./internal/unauthorized.ts"
import { TokenStore } from "./TokenStore.ts"

export type { Options } from "./internal/options.ts"

const make = Effect.fnUntraced(function* (options: Options) {
  const { name, timing } = yield* validate(options)
  const transport = yield* Transport
  const identity = { name, environment: transport.environment.baseUrl }
  const tokenStore = yield* TokenStore
  const source = yield* ApiKeySource
  const contract = yield* Wires
  const listener = yield* Listener
  const owner = yield* Lease.newOwner
  const scope = yield* Effect.scope

  const stateRef = yield* Ref.make(SessionState.initial)
  const rotationTurn = yield* Semaphore.make(1)

  const events = yield* PubSub.sliding<SessionEvent>(64)
  const telemetry = yield* SessionTelemetry.make({ identity: name, listener, state: stateRef })
  const observe = (event: SessionEvent) => Effect.andThen(telemetry.observe(event), refreshInTime)
  const state = SessionState.access({ ref: stateRef, events, observe })
  const ofSession = SessionState.secretsOf(options.apiKey)
  const secrets = Effect.map(state.get, (now) => [...(options.secrets ?? []), ...ofSession(now)])

  // When the layer closes, new tokens are stored before claims are withdrawn.
  yield* Effect.addFinalizer(() => Effect.suspend(() => Effect.andThen(writer.writeLast, claims.withdrawSoon)))
  // The layer closes it before that.
  const rewriter = yield* FiberHandle.make()
  const store = RecordStore.make(tokenStore, identity, timing)
  const flight = SingleFlight.make({ identity: name, scope, turn: rotationTurn, state: stateRef })
  const parts = { identity, timing, owner, state, store }
  const apiKeys = ApiKeys.make(parts, options.apiKey, source)
  const exchange = TokenEndpoint.make({
    transport,
    contract,
    timeout: timing.requestTimeout,
    listener,
    requestIdHeaders: (options.requestIdHeaders ?? requestIdHeaders).map((name) => name.toLowerCase()),
    secrets
  })
  const claims = Claims.make(parts)
  const writer = SessionWriter.make(parts, rewriter)
  const rotation = telemetry.rotation(Rotation.make({ ...parts, writer, claims, apiKeys, exchange }))
  const tokens = TokenAccess.make({ ...parts, flight, rotation, apiKeys })
  const reload = Unauthorized.make({ ...parts, tokens, apiKeys, idle: flight.idle })

  const follow = yield* ProactiveRefresh.make(timing, (due) => tokens.refresh(due, false))
  const refreshInTime = Effect.flatMap(state.get, (known) => follow(SessionState.liveSession(known)))

  // The record is loaded before the first call: one of another environment fails the layer.
  const { record } = yield* store.load
  const mismatch = environmentMismatch(identity, record)
  if (mismatch !== undefined) return yield* mismatch
  yield* apiKeys.noteUnused(record)
  const { session } = record
  if (session !== undefined) {
    const intent = refreshIntentOf(record, session)
    const ambiguousSince = intent?.ambiguous === true ? intent.since : undefined
    yield* state.update({
      session,
      usedSince: (yield* uptime) - Math.max(0, (yield* now) - session.obtainedAt),
      end: endOf(identity, record),
      ambiguousSince
    })
  }
  yield* refreshInTime

  return Tag.of({
    current: tokens.current,
    inUse: () => SessionState.inUseNow(Ref.getUnsafe(stateRef)),
    accepted: state.accepted,
    rotate: tokens.rotate,
    reload,
    start: tokens.start,
    secrets,
    status: Effect.map(state.get, SessionState.status(name)),
    events: Stream.fromPubSub(events)
  })
})

/**
 * The `TokenService` of `@effect-custody/core`, with its layer.
 *
 * Specification: "Authentication", flow and rules a client must observe.
 *
 * @since 0.1.0
 * @category services
 */
export const TokenService = Object.assign(Context.Service<Tag, Tag["Service"]>(Tag.key), {
  /** Fails with what is wrong with the options, as the layer does. */
  validate: (options: Options): Effect.Effect<void, ConfigurationInvalid> => Effect.asVoid(validate(options)),

  /**
   * The service of one session, over a transport and a store. Fails with `ConfigurationInvalid` if an option is wrong,
   * `TokenStoreError` if the store cannot be read, and `SessionOfAnotherEnvironment` if the stored session belongs to
   * another environment. Nothing is sent before the first call.
   *
   * @since 0.1.0
   *
   * @example
   * ```ts
   * import { TokenService, TokenStore } from "@effect-custody/authentication"
   * import { Environment } from "@effect-custody/core"
   * import { Transport } from "@effect-custody/core/unstable/Transport"
   * import { Layer, Redacted } from "effect"
   * import { FetchHttpClient } from "effect/http"
   *
   * const environment = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
   *
   * const tokens = TokenService.layer({ apiKey: Redacted.make("one-time key") }).pipe(
   *   Layer.provide([TokenStore.layerMemory, Transport.layer({ environment }).pipe(Layer.provide(FetchHttpClient.layer))])
   * )
   * ```
   */
  layer: (
    options: Options = {}
  ): Layer.Layer<Tag, ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError, Transport | TokenStore> =>
    Layer.effect(Tag, make(options))
})

/**
 * @since 0.1.0
 * @category services
 */
export type TokenService = Tag
