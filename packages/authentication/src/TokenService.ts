/**
 * The layer that keeps a session: one refresh at a time over all fibers and processes, stored before it is used, never
 * lost to a caller that goes away.
 *
 * Specification: "Authentication", flow and rules a client must observe.
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import {
  NoSession,
  RefreshUnavailable,
  type SessionError,
  type SessionOfAnotherEnvironment,
  type TokenStoreError
} from "@effect-custody/core/SessionError"
import * as Core from "@effect-custody/core/TokenService"
import { Transport } from "@effect-custody/core/Transport"
import { WireContract } from "@effect-custody/core/WireContract"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { ApiKeySource } from "./ApiKeySource.ts"
import * as Ahead from "./internal/proactiveRefresh.ts"
import * as Belief from "./internal/sessionState.ts"
import * as Flight from "./internal/singleFlight.ts"
import * as Journal from "./internal/recordStore.ts"
import * as Keeper from "./internal/sessionWriter.ts"
import * as Keys from "./internal/apiKeys.ts"
import * as Pursuit from "./internal/rotation.ts"
import * as Records from "./internal/decision/record.ts"
import * as Resync from "./internal/unauthorized.ts"
import * as Shared from "./internal/shared.ts"
import * as State from "./internal/state.ts"
import { uptime } from "./internal/clock.ts"
import * as Wire from "./internal/tokenEndpoint.ts"
import type { Session } from "./Session.ts"
import * as SessionMachine from "./internal/decision/model.ts"
import * as SessionTiming from "./SessionTiming.ts"
import { ApiKey } from "./TokenPair.ts"
import { TokenStore } from "./TokenStore.ts"

type AccessToken = Core.AccessToken

/** Which session to keep, and how. */
export interface Options {
  /** A name for the session in its store. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. It is sent once, ever. */
  readonly apiKey?: Redacted.Redacted | undefined
  readonly timing?: Partial<SessionTiming.SessionTiming> | undefined
}

/** What each layer of one session brings. */
interface Member extends Wire.Wire {
  readonly apiKey: Redacted.Redacted | undefined
  readonly source: ApiKeySource
}

/** What the layers of one session share. */
interface Parts {
  readonly identity: SessionMachine.Identity
  readonly timing: SessionTiming.SessionTiming
  readonly store: TokenStore["Service"]
  readonly members: ReadonlySet<Member>
}

interface Kept {
  readonly service: Core.TokenService["Service"]
  readonly landed: Effect.Effect<void>
}

const Identity = Schema.String.pipe(Schema.check(Schema.isNonEmpty(), Schema.isMaxLength(255)))
const isIdentity = Schema.is(Identity)
const isApiKey = Schema.is(Schema.toType(ApiKey))
const isTiming = Schema.is(Schema.toType(SessionTiming.SessionTiming))
const encodeApiKey = Schema.encodeOption(ApiKey)

const validated = Effect.fnUntraced(function* ({ apiKey, identity: name = "default", timing: given }: Options) {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(name)) return yield* invalid("identity", "must be 1 to 255 characters")
  if (apiKey !== undefined && (!isApiKey(apiKey) || encodeApiKey(apiKey)._tag === "None")) {
    return yield* invalid("apiKey", "must be 1 to 255 characters")
  }
  const timing = { ...SessionTiming.standard, ...given }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations")
  return { name, timing }
})

/** Whoever waits for a rotation gets an error of its type, even if that came to grief in a way of its own. */
const settled =
  (name: string) =>
  (exit: Exit.Exit<AccessToken, SessionError>): Effect.Effect<Exit.Exit<AccessToken, SessionError>> => {
    if (Exit.isSuccess(exit) || Cause.hasFails(exit.cause)) return Effect.succeed(exit)
    const isClosing = Cause.hasInterruptsOnly(exit.cause)
    return Effect.gen(function* () {
      if (!isClosing) yield* Effect.logError(`${name}: the rotation failed in an unforeseen way`, exit.cause)
      const reason = isClosing ? "the client is closing" : "an internal error"
      return Exit.fail(new RefreshUnavailable({ identity: name, reason, retryAt: yield* DateTime.now }))
    })
  }

const ownName = SecureRandom.SecureRandom.use(({ randomBytes }) => randomBytes(16)).pipe(
  Effect.map(Hex.encode),
  Effect.provide(SecureRandom.layerWebCrypto),
  Effect.orDie
)

/** Equal for layers that can share a service. */
const sharedName = (identity: SessionMachine.Identity, timing: SessionTiming.SessionTiming): string =>
  [identity.name, identity.environment, ...Object.values(timing).map(Duration.toMillis)].join("\n")

const make = Effect.fnUntraced(function* ({
  identity,
  members,
  store,
  timing
}: Parts): Effect.fn.Return<Kept, SessionOfAnotherEnvironment | TokenStoreError, Scope.Scope> {
  const { name } = identity
  const journal = Journal.make(store, identity, timing)
  const state = yield* State.make
  const keeper = yield* Keeper.make({ name, journal, state })

  const keys = Keys.make(name, () => ({
    apiKeys: [...members].flatMap(({ apiKey }) => (apiKey === undefined ? [] : [apiKey])),
    // The layer that came last has the longest to live.
    source: [...members].at(-1)?.source ?? ApiKeySource.defaultValue()
  }))

  const exchange = Effect.fnUntraced(function* (purpose: SessionMachine.Purpose, secret: Redacted.Redacted) {
    const wire = [...members].at(-1)
    if (wire === undefined)
      return { _tag: "Unchanged" as const, reason: "the client is closing", retryAfter: undefined }
    const reading = yield* Wire.exchange(wire, purpose, secret, timing.requestTimeout)
    if (purpose._tag === "Start" && reading._tag !== "Unchanged") keys.spent(purpose.key)
    return reading
  })

  const pursue = Pursuit.make({
    identity,
    timing,
    // A name that no other process has.
    owner: yield* ownName,
    state,
    journal,
    keeper,
    exchange
  })
  const flight = Flight.make(yield* Effect.scope, settled(name))

  const refresh = (session: Session, dead: boolean) =>
    flight.join(pursue({ _tag: "Refresh", session, dead }, Keys.once(undefined)))

  /** Without a usable session: one that somebody else has started since, or a start of our own. */
  const recover = Effect.suspend(() =>
    flight.join(pursue({ _tag: "Start", key: undefined, replaces: false }, keys.each()))
  )

  /** The token, if the session that was rejected is not the one that is used now. */
  const other = (rejected: number): AccessToken | undefined => {
    const session = Belief.liveSession(state.known())
    return session === undefined || session.generation === rejected ? undefined : Belief.accessToken(session)
  }

  /** A newer session than one whose access token is dead, or a new one where it cannot be refreshed any more. */
  const replace = (session: Session): Effect.Effect<AccessToken, SessionError> =>
    refresh(session, true).pipe(
      // The flight that was joined may have been for an older generation, or ahead of time.
      Effect.filterOrElse(
        (token) => token.generation !== session.generation,
        () => refresh(session, true)
      ),
      Effect.catchTag(["SessionLost", "StoredSessionInvalid"], () => recover)
    )

  const rotate = (rejected: number): Effect.Effect<AccessToken, SessionError> =>
    Effect.suspend(() => {
      const newer = other(rejected)
      if (newer !== undefined) return Effect.succeed(newer)
      const session = Belief.liveSession(state.known())
      return session === undefined ? recover : replace(session)
    })

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    if (encodeApiKey(apiKey)._tag === "None") {
      return yield* new NoSession({ identity: name, reason: "an API key has 1 to 255 characters" })
    }
    const key = Keys.keyOf(apiKey)
    // What is under way may be for something else.
    yield* flight.landed
    return yield* flight.join(pursue({ _tag: "Start", key, replaces: true }, Keys.once(undefined)))
  })

  const current = Effect.suspend(() => {
    const session = Belief.liveSession(state.known())
    return session === undefined ? recover : Effect.succeed(Belief.accessToken(session))
  })

  const resync = Resync.make({ identity, journal, state, other, recover, landed: flight.landed, replace })

  // What is stored is known before the first call: a record of another environment stops the program here.
  const { record } = yield* journal.load
  const foreign = Records.belongs(identity, record)
  if (foreign !== undefined) return yield* foreign
  if (record.session !== undefined) {
    const intent = Records.refreshIntentOf(record, record.session)
    yield* state.note({
      session: record.session,
      usedSince: yield* uptime,
      end: Records.ended(identity, record),
      ...(intent?.ambiguous === true ? { ambiguousSince: intent.since } : {})
    })
  }
  yield* Effect.forkScoped(Ahead.run(timing, state, (session) => refresh(session, false)))

  return {
    landed: flight.landed,
    service: Core.TokenService.of({
      current,
      rotate,
      resync,
      start,
      status: Effect.sync(() => Belief.status(name, state.known(), flight.isUnderWay())),
      events: state.events
    })
  }
})

const share = Shared.make<
  Member & { readonly parts: Omit<Parts, "members"> },
  Kept,
  SessionOfAnotherEnvironment | TokenStoreError
>({
  build: (members) => {
    const [first] = members
    return first === undefined ? Effect.die("nobody wants it") : make({ ...first.parts, members })
  },
  leaving: ({ landed }) => landed
})

/** Gives the calls of one session their access token; see `@effect-custody/core`. */
export class TokenService extends Core.TokenService {
  /** Fails with what is wrong with the options, as the layer does, before it asks anything of a store or a service. */
  static readonly validate = (options: Options): Effect.Effect<void, ConfigurationInvalid> =>
    Effect.asVoid(validated(options))

  /**
   * The service of one session, over a transport and a store. Fails if an option is wrong, the store cannot be read, or
   * the stored session belongs to another environment; nothing is sent before the first call.
   *
   * Layers of one session over one store, with the same timing, share one service: that of the first, until the last is
   * closed.
   */
  static readonly layer = (
    options: Options = {}
  ): Layer.Layer<
    Core.TokenService,
    ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError,
    Transport | TokenStore
  > =>
    Layer.effect(
      Core.TokenService,
      Effect.gen(function* () {
        const { name, timing } = yield* validated(options)
        const transport = yield* Transport
        const store = yield* TokenStore
        const identity = { name, environment: transport.environment.baseUrl }
        const kept = yield* share(store, sharedName(identity, timing), {
          transport,
          contract: yield* WireContract,
          apiKey: options.apiKey,
          source: yield* ApiKeySource,
          parts: { identity, timing, store }
        })
        return kept.service
      })
    )
}
