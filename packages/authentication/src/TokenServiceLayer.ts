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
import * as Span from "@effect-custody/core/Span"
import { Listener } from "@effect-custody/core/Listener"
import { type AccessToken, type SessionEvent, TokenService } from "@effect-custody/core/TokenService"
import { Transport } from "@effect-custody/core/Transport"
import { Wires } from "@effect-custody/core/Wires"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { ApiKeySource } from "./ApiKeySource.ts"
import { isExplicit } from "./decide.ts"
import * as Pause from "./pause.ts"
import { endReason, refreshIntent } from "./record.ts"
import * as RecordStore from "./recordStore.ts"
import * as Rotation from "./rotation.ts"
import { isSecret, withFingerprint } from "./secrets.ts"
import * as SessionState from "./sessionState.ts"
import { now, uptime } from "./sessionState.ts"
import * as SessionTiming from "./SessionTiming.ts"
import * as TokenEndpoint from "./tokenEndpoint.ts"
import * as Tokens from "./tokens.ts"
import { TokenStore } from "./TokenStore.ts"

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
  if (apiKey !== undefined && !SessionState.isApiKey(apiKey)) return yield* invalid("apiKey", SessionState.apiKeyRule)
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

/** The outcome of a rotation for each event that the rotation publishes. */
const outcomes: Readonly<Record<SessionEvent["_tag"], string | undefined>> = {
  Started: "started",
  Rotated: "rotated",
  Persisted: undefined,
  NotPersisted: "unpersisted",
  Adopted: "adopted",
  RefreshFailed: "failed",
  Ambiguous: "ambiguous",
  Lost: "lost"
}

/** The outcome of the running rotation so far. Not every event has an outcome: this is the latest one. */
const RotationOutcome = Context.Reference<MutableRef.MutableRef<string | undefined> | undefined>(
  "@effect-custody/authentication/service/RotationOutcome",
  { defaultValue: () => undefined }
)

/** Reports a session to its operators: spans, durations, gauges and counts. */
const makeTelemetry = Effect.fnUntraced(function* (options: {
  readonly identity: string
  readonly listener: Listener | undefined
  readonly state: Ref.Ref<SessionState.SessionState>
}) {
  const { identity, listener, state } = options

  if (listener !== undefined) {
    // Report a zero for each event, because monitoring sees the first increase only if there was a zero before.
    for (const event of Object.keys(outcomes)) listener.sessionEvent(event, 0)
    yield* listener.showSession(() => {
      const now = Ref.getUnsafe(state)
      return {
        state: SessionState.status(identity)(now).state,
        generation: now.session?.generation,
        obtainedAt: now.session?.obtainedAt,
        isStored: now.isDurable
      }
    })
  }

  return {
    /** Counts an event. */
    observe: ({ _tag }: SessionEvent): Effect.Effect<void> =>
      Effect.withFiber((fiber) => {
        listener?.sessionEvent(_tag)
        const outcome = outcomes[_tag]
        const seen = fiber.getRef(RotationOutcome)
        if (seen !== undefined && outcome !== undefined) MutableRef.set(seen, outcome)
        return Effect.void
      }),

    rotation:
      (rotation: Rotation.Rotation): Rotation.Rotation =>
      (purpose, keys) =>
        Effect.withFiber((fiber) => {
          if (listener === undefined && !Span.isTraced(fiber)) return rotation(purpose, keys)
          const clock = fiber.getRef(Clock.Clock)
          const began = clock.monotonicTimeNanosUnsafe()
          const seen = MutableRef.make<string | undefined>(undefined)
          const ended = (exit: Exit.Exit<AccessToken, SessionError>): Span.End => {
            const outcome = MutableRef.get(seen)
            const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
            if (outcome !== undefined) listener?.rotationEnded(outcome, seconds)
            const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
            const failure = Exit.isSuccess(exit) ? undefined : (error?._tag ?? "Defect")
            return {
              attributes: {
                "custody.outcome": outcome ?? (failure === undefined ? "unneeded" : "not_sent"),
                "custody.generation": Exit.isSuccess(exit) ? exit.value.generation : undefined,
                "error.type": failure
              },
              failure
            }
          }
          const followed = Effect.provideService(rotation(purpose, keys), RotationOutcome, seen)
          const attributes = {
            "custody.session.identity": identity,
            "custody.generation.before": purpose._tag === "Refresh" ? purpose.session.generation : undefined
          }
          const name = purpose._tag === "Refresh" ? "custody.session.rotate" : "custody.session.start"
          return Span.follow(followed, name, { kind: "internal", attributes }, ended)
        })
  }
})

const make = Effect.fnUntraced(function* (options: Options) {
  const { name, timing } = yield* readOptions(options)
  const transport = yield* Transport
  const identity = { name, environment: transport.environment.baseUrl }
  const listener = yield* Listener
  const owner = Hex.encode(randomBytesUnsafe(16))

  const stateRef = yield* Ref.make(SessionState.initial)
  const receivers = new Set<(event: SessionEvent) => void>()
  const telemetry = yield* makeTelemetry({ identity: name, listener, state: stateRef })
  const observe = (event: SessionEvent) => Effect.andThen(telemetry.observe(event), refreshInTime)
  const state = SessionState.access({ ref: stateRef, receivers, observe })
  const sessionSecrets = SessionState.secrets(options.apiKey)
  const secrets = Effect.map(state.get, (now) => [...(options.secrets ?? []), ...sessionSecrets(now)])

  yield* Effect.addFinalizer(() => Effect.suspend(() => rotation.close))
  // Added to the scope after the finalizer above, so that the layer closes the rewriter before the finalizer runs.
  const rewriter = yield* FiberHandle.make<void, never>()
  const store = RecordStore.make(yield* TokenStore, identity, timing)
  const parts = { identity, timing, owner, state, store }
  const apiKeys = SessionState.apiKeys(parts, options.apiKey, yield* ApiKeySource)
  const pause = Pause.make(parts, (yield* RetryPolicy).session.schedule)
  const exchange = TokenEndpoint.make({
    transport,
    contract: yield* Wires,
    listener,
    requestIdHeaders: (options.requestIdHeaders ?? requestIdHeaders).map((name) => name.toLowerCase()),
    secrets
  })
  const rotation = Rotation.make({ ...parts, apiKeys, exchange, pause, rewriter })
  const observed = telemetry.rotation(rotation.rotate)
  const flight = Tokens.singleFlight(name, yield* Effect.scope, stateRef)
  const patient: Rotation.Rotation = (purpose, keys) =>
    // A start by a person does not wait for a pause to end.
    isExplicit(purpose) ? observed(purpose, keys) : pause.withStore(observed(purpose, keys))
  const tokens = Tokens.make({ ...parts, flight, apiKeys, rotation: patient })

  const follow = yield* Tokens.keepFresh(timing, (due) => tokens.refresh(due, false))
  const refreshInTime = Effect.flatMap(state.get, (known) => follow(SessionState.liveSession(known)))

  // Load the record before the first call, because a record of another environment makes the layer fail.
  const { record } = yield* store.load
  yield* apiKeys.noteUnused(record)
  const { session } = record
  if (session !== undefined) {
    const intent = refreshIntent(record, session)
    yield* state.update({
      session,
      usedSince: (yield* uptime) - Math.max(0, (yield* now) - session.obtainedAt),
      end: endReason(identity, record),
      ambiguousSince: intent?.ambiguous === true ? intent.since : undefined
    })
  }
  yield* refreshInTime

  return TokenService.of({
    current: tokens.current,
    inUse: () => SessionState.currentToken(Ref.getUnsafe(stateRef)),
    accepted: state.accepted,
    rotate: tokens.rotate,
    reload: (...rejected) => pause.withStore(tokens.reload(...rejected)),
    start: (apiKey) =>
      SessionState.isApiKey(apiKey)
        ? tokens.start(withFingerprint(apiKey))
        : Effect.fail(new NoSession({ identity: name, reason: `the API key ${SessionState.apiKeyRule}` })),
    settled: Effect.andThen(flight.settled, rotation.settled),
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
