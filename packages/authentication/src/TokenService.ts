/**
 * `TokenService`: gives calls their access token, and gets a new one when the service says that it has expired.
 *
 * - A `Ref` holds what this process knows of its session, and names the result of the running rotation.
 * - A `Semaphore` with one permit decides who rotates. Whoever takes the permit begins the rotation; everyone else waits
 *   for the result that the `Ref` names. So 100 calls that get a 498 together cause one refresh.
 * - The store has the record that all processes share. `rotation.ts` sends a refresh token only under a lease in this
 *   record, and stores the new tokens before the `Ref` gives them to calls.
 *
 * A rotation runs on a fiber of the layer, so a caller that is interrupted or times out changes nothing. What a call does
 * after a 401, and what happens before a token expires, is in `freshness.ts`.
 */
import { requestIdHeaders } from "@effect-custody/core/CustodyClient"
import { RetryPolicy } from "@effect-custody/core/RetryPolicy"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import {
  NoSession,
  RefreshUnavailable,
  type SessionError,
  type SessionOfAnotherEnvironment,
  type TokenStoreError
} from "@effect-custody/core/SessionError"
import { Listener } from "@effect-custody/core/siblings/Instrumentation"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import { Transport } from "@effect-custody/core/siblings/Transport"
import { Wires } from "@effect-custody/core/siblings/Wires"
import * as Core from "@effect-custody/core/TokenService"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import { memoize } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { isExplicit } from "./decide.ts"
import * as Freshness from "./freshness.ts"
import * as Pause from "./pause.ts"
import * as RecordStore from "./recordStore.ts"
import * as Rotation from "./rotation.ts"
import { apiKeyRule, isApiKey, withFingerprint } from "./secrets.ts"
import type { Session } from "./Session.ts"
import { ApiKeySource, type SessionOptions, validate } from "./SessionOptions.ts"
import * as SessionState from "./sessionState.ts"
import * as TokenEndpoint from "./tokenEndpoint.ts"
import { TokenStore } from "./TokenStore.ts"

type Rotating = Effect.Effect<Core.AccessToken, SessionError>
type Result = Deferred.Deferred<Core.AccessToken, SessionError>

/** One rotation at a time. Closing `scope` interrupts a rotation, or waits until the rotation can be interrupted. */
const singleFlight = Effect.fnUntraced(function* (
  identity: string,
  ref: Ref.Ref<SessionState.SessionState>,
  scope: Scope.Scope
) {
  const permit = yield* Semaphore.make(1)

  const name = (rotation: SessionState.SessionState["rotation"]) => Ref.update(ref, (now) => ({ ...now, rotation }))

  /** Runs a rotation on a fiber of the layer, then `end`. The result always completes, even if the layer closes first. */
  const begin = (rotation: Rotating, result: Result, end: Effect.Effect<unknown>): Effect.Effect<unknown> => {
    const complete = (exit: Exit.Exit<Core.AccessToken, SessionError>) =>
      Effect.andThen(
        end,
        Effect.flatMap(withoutDefects(exit), (known) => Deferred.done(result, known))
      )
    return Effect.interruptible(rotation).pipe(
      Effect.onExit(complete),
      Effect.forkIn(scope, { uninterruptible: true }),
      // A scope that has closed runs nothing.
      Effect.flatMap((fiber) =>
        fiber.pollUnsafe() === undefined || Deferred.isDoneUnsafe(result) ? Effect.void : complete(Exit.interrupt())
      )
    )
  }

  /** Callers of a rotation that died or was interrupted fail with `RefreshUnavailable`. */
  const withoutDefects = Effect.fnUntraced(function* (exit: Exit.Exit<Core.AccessToken, SessionError>) {
    if (Exit.isSuccess(exit) || Cause.hasFails(exit.cause)) return exit
    const isClosing = Cause.hasInterruptsOnly(exit.cause)
    if (!isClosing) yield* OperatorLog.defect(`${identity}: the rotation failed with a defect`, exit.cause)
    const reason = isClosing ? "the client is closing" : "an internal error"
    return Exit.fail(new RefreshUnavailable({ identity, phase: "Stopped", reason, retryAt: yield* DateTime.now }))
  })

  /** Takes the permit and begins this rotation, or finds the one that the `Ref` names. */
  const find = Effect.fnUntraced(function* (
    rotation: Rotating,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) {
    for (;;) {
      if (yield* permit.takeIfAvailable(1)) {
        const result: Result = Deferred.makeUnsafe()
        yield* name({ result, isShared: true })
        yield* begin(rotation, result, Effect.andThen(name(undefined), permit.release(1)))
        return result
      }
      const { rotation: running } = yield* Ref.get(ref)
      if (running?.isShared === true) return running.result
      // The start of another caller, or the moment between the permit and the Ref: then look again.
      yield* running === undefined ? Effect.yieldNow : restore(Effect.exit(Deferred.await(running.result)))
    }
  })

  /** Runs this rotation, or waits for the running one. A waiting caller holds no generator: 100,000 may wait. */
  const join = (rotation: Rotating): Rotating =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(find(rotation, restore), (result) => restore(Deferred.await(result)))
    )

  /** Runs this rotation after the running one, for this caller alone. */
  const runAfter = (rotation: Rotating): Rotating =>
    Effect.uninterruptibleMask((restore) => {
      const result: Result = Deferred.makeUnsafe()
      const named = Effect.ensuring(Effect.andThen(name({ result, isShared: false }), rotation), name(undefined))
      return Effect.andThen(begin(permit.withPermit(named), result, Effect.void), restore(Deferred.await(result)))
    })

  return { join, runAfter, idle: permit.withPermit(Effect.void) }
})

/** What callers ask for: the token in use, a new one after a 498, or a new session. */
const tokensOf = (options: {
  readonly state: SessionState.Parts["state"]
  readonly flight: Effect.Success<ReturnType<typeof singleFlight>>
  readonly rotation: Rotation.Rotation
  readonly apiKeys: SessionState.ApiKeys
}) => {
  const { apiKeys, flight, rotation, state } = options

  /** For a process without a usable session: adopts a session that another process has started, or starts one. */
  const recover = flight.join(rotation({ _tag: "Start", key: undefined, replaces: false }, apiKeys.candidates))

  const refresh = (session: Session, accessTokenRejected: boolean) =>
    flight.join(rotation({ _tag: "Refresh", session, accessTokenRejected }))

  /**
   * Refreshes a session whose access token is dead. Starts a new session if the refresh token is dead as well. All calls
   * with the session share one effect, because thousands may wait in it.
   */
  const replace = memoize((session: Session): Rotating =>
    refresh(session, true).pipe(
      // The joined rotation may have been proactive, or for an older generation. If it returned the dead token, refresh
      // again.
      Effect.filterOrElse(
        ({ generation, value }) => !SessionState.hasToken(session, generation, value),
        () => refresh(session, true)
      ),
      Effect.catchTag(["SessionLost", "StoredSessionInvalid"], () => recover)
    )
  )

  /** After a 498: the newer token that this process has by now, or a rotation. */
  const afterExpired = (generation: number, rejected?: Redacted.Redacted): Rotating =>
    Effect.flatMap(state.get, (known) => {
      const session = SessionState.liveSession(known)
      if (session === undefined) return recover
      const isNewer = !SessionState.hasToken(session, generation, rejected)
      return isNewer ? Effect.succeed(SessionState.accessToken(session)) : replace(session)
    })

  const current = Effect.flatMap(state.get, (known) => {
    const token = SessionState.currentToken(known)
    return token === undefined ? recover : Effect.succeed(token)
  })

  const start = (apiKey: Redacted.Redacted) =>
    flight.runAfter(rotation({ _tag: "Start", key: withFingerprint(apiKey), replaces: true }))

  return { current, afterExpired, start, recover, refresh, replace }
}

const make = Effect.fnUntraced(function* (options: SessionOptions) {
  const { identity: name, timing } = yield* validate(options)
  const transport = yield* Transport
  const identity = { name, environment: transport.environment.baseUrl }
  const listener = yield* Listener
  const owner = Hex.encode(randomBytesUnsafe(16))

  const ref = yield* Ref.make(SessionState.initial)
  const tokenStore = yield* TokenStore
  const store = RecordStore.make(tokenStore, identity, timing.storeTimeout)
  // An answer to a renewal counts for as long as the lease may last.
  const leaseStore = RecordStore.make(tokenStore, identity, timing.leaseTimeout)
  const receivers = new Set<(event: Core.SessionEvent) => void>()
  const telemetry = yield* SessionState.telemetry({ identity: name, listener, ref })
  const observe = (event: Core.SessionEvent) => Effect.andThen(telemetry.observe(event), refreshInTime)
  const state = SessionState.access({ ref, receivers, observe })
  const sessionSecrets = SessionState.secrets(options.apiKey)
  const secrets = Effect.map(state.get, (now) => [...(options.secrets ?? []), ...sessionSecrets(now)])

  yield* Effect.addFinalizer(() => Effect.suspend(() => rotation.close))
  // Added to the scope after the finalizer above, so that the layer closes the rewriter before the finalizer runs.
  const rewriter = yield* FiberHandle.make<void, never>()
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
  const rotation = Rotation.make({ ...parts, leaseStore, apiKeys, exchange, pause, rewriter })
  const rotateFollowed: Rotation.Rotation = (purpose, keys) => {
    const generation = purpose._tag === "Refresh" ? purpose.session.generation : undefined
    const followed = telemetry.follow(generation, rotation.rotate(purpose, keys))
    // A start by a person does not wait for a pause to end.
    return isExplicit(purpose) ? followed : pause.withStore(followed)
  }

  const flight = yield* singleFlight(name, ref, yield* Effect.scope)
  const tokens = tokensOf({ state, flight, rotation: rotateFollowed, apiKeys })
  const reload = Freshness.reload({ ...parts, ...tokens, apiKeys, idle: flight.idle })
  const follow = yield* Freshness.keepFresh(timing, (due) => tokens.refresh(due, false))
  const refreshInTime = Effect.flatMap(state.get, (known) => follow(SessionState.liveSession(known)))

  // Load the record before the first call, because a record of another environment makes the layer fail.
  const { record } = yield* store.load
  yield* apiKeys.noteUnused(record)
  yield* state.begin(identity, record)
  yield* refreshInTime

  return Core.TokenService.of({
    current: tokens.current,
    inUse: () => SessionState.currentToken(Ref.getUnsafe(ref)),
    accepted: state.accepted,
    rotate: tokens.afterExpired,
    reload: (...rejected) => pause.withStore(reload(...rejected)),
    start: (apiKey) =>
      isApiKey(apiKey)
        ? tokens.start(apiKey)
        : Effect.fail(new NoSession({ identity: name, reason: `the API key ${apiKeyRule}` })),
    awaitStored: Effect.andThen(flight.idle, rotation.awaitStored),
    secrets,
    status: Effect.map(state.get, SessionState.status(name)),
    subscribe: (receive) => {
      // Wrap `receive` in a new function, so that each subscription removes only itself.
      const receiver = (event: Core.SessionEvent) => receive(event)
      return Effect.acquireRelease(
        Effect.sync(() => void receivers.add(receiver)),
        () => Effect.sync(() => void receivers.delete(receiver))
      )
    }
  })
})

/**
 * The service of `@effect-custody/core/TokenService`, whose interface calls need, with the layer that keeps a session.
 *
 * Specification: "Authentication", flow and rules a client must observe.
 *
 * @since 0.1.0
 * @category services
 */
export class TokenService extends Core.TokenService {
  /**
   * Keeps one session, over a transport and a store. Fails with `ConfigurationInvalid` if an option is wrong,
   * `TokenStoreError` if the store cannot be read, and `SessionOfAnotherEnvironment` if the stored session belongs to
   * another environment. Nothing is sent before the first call.
   *
   * @example
   * ```ts
   * import { TokenService, TokenStore } from "@effect-custody/authentication"
   * import { Environment } from "@effect-custody/core"
   * import { Transport } from "@effect-custody/core/siblings/Transport"
   * import { Layer, Redacted } from "effect"
   * import { FetchHttpClient } from "effect/http"
   *
   * const environment = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
   *
   * const tokens = TokenService.layer({ apiKey: Redacted.make("one-time key") }).pipe(
   *   Layer.provide([TokenStore.layerMemory, Transport.layer({ environment }).pipe(Layer.provide(FetchHttpClient.layer))])
   * )
   * ```
   *
   * @since 0.1.0
   */
  static readonly layer = (
    options: SessionOptions = {}
  ): Layer.Layer<
    Core.TokenService,
    ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError,
    Transport | TokenStore
  > => Layer.effect(Core.TokenService, make(options))
}
