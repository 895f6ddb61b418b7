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
  SessionAmbiguous,
  type SessionError,
  type SessionOfAnotherEnvironment,
  type TokenStoreError
} from "@effect-custody/core/SessionError"
import * as Core from "@effect-custody/core/TokenService"
import { type Outcome, Transport } from "@effect-custody/core/Transport"
import { WireContract } from "@effect-custody/core/WireContract"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Authentication from "./Authentication.ts"
import * as Belief from "./internal/belief.ts"
import * as Flight from "./internal/flight.ts"
import * as Journal from "./internal/journal.ts"
import { keyFingerprint } from "./internal/keyFingerprint.ts"
import * as Reading from "./internal/reading.ts"
import type { Session, SessionRecord } from "./Session.ts"
import * as SessionMachine from "./SessionMachine.ts"
import * as SessionTiming from "./SessionTiming.ts"
import { ApiKey } from "./Tokens.ts"
import { TokenStore, type Stored } from "./TokenStore.ts"

type AccessToken = Core.AccessToken
type Send = Extract<SessionMachine.Decision, { _tag: "Send" }>

/** Which session to keep, and how. */
export interface Options {
  /** A name for the session in its store. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. It is sent once, ever. */
  readonly apiKey?: Redacted.Redacted | undefined
  readonly timing?: Partial<SessionTiming.SessionTiming> | undefined
}

const Identity = Schema.String.pipe(Schema.check(Schema.isNonEmpty(), Schema.isMaxLength(255)))

/** How long to wait before the record of another holder is read again. */
const pollInterval = Duration.millis(50)
/** How often a holder renews its lease in the time after which it would count as dead. */
const renewalsPerLease = 3
/** How many lease timeouts a caller waits for other holders altogether. */
const patience = 6
/** How an unpersisted session is written again. */
const rewriting = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const validated = Effect.fnUntraced(function* (options: Options) {
  const check = <S extends Schema.Codec<any, any>>(option: string, schema: S, value: S["Type"], reason: string) =>
    Effect.mapError(Schema.encodeEffect(schema)(value), () => new ConfigurationInvalid({ option, reason }))
  const name = options.identity ?? "default"
  yield* check("identity", Identity, name, "must be 1 to 255 characters")
  if (options.apiKey !== undefined) yield* check("apiKey", ApiKey, options.apiKey, "must be 1 to 255 characters")
  const timing = { ...SessionTiming.standard, ...options.timing }
  yield* check("timing", Schema.toType(SessionTiming.SessionTiming), timing, "must be durations")
  return { name, timing }
})

const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<
  Core.TokenService["Service"],
  ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError,
  Transport | TokenStore | Scope.Scope
> {
  const { name, timing } = yield* validated(options)
  const transport = yield* Transport
  const contract = yield* WireContract
  const identity: SessionMachine.Identity = { name, environment: transport.environment.baseUrl }
  const journal = Journal.make(yield* TokenStore, identity)
  const owner = globalThis.crypto.randomUUID()

  const belief = yield* Ref.make(Belief.nothing)
  const turn = yield* Semaphore.make(1)
  const happened = yield* PubSub.sliding<Core.SessionEvent>(256)
  const tell = (event: Core.SessionEvent) => PubSub.publish(happened, event)
  const note = (change: Partial<Belief.Belief>) => Ref.update(belief, (known) => ({ ...known, ...change }))
  const noSession = (reason: string) => new NoSession({ identity: name, reason })

  // The last thing that the layer does: a session that could not be stored gets one more chance.
  let unstored: SessionRecord | undefined
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (unstored === undefined ? Effect.void : Effect.ignore(journal.persistAnew(unstored))))
  )
  const proactive = yield* FiberHandle.make()
  const pending = yield* FiberHandle.make()

  /** Whoever waits for a rotation gets an error of its type, even if that came to grief in a way of its own. */
  const flight = Flight.make<AccessToken, SessionError>(yield* Effect.scope, (exit) => {
    if (Exit.isSuccess(exit) || Cause.hasFails(exit.cause)) return Effect.succeed(exit)
    const closing = Cause.hasInterruptsOnly(exit.cause)
    return Effect.gen(function* () {
      if (!closing) yield* Effect.logError(`${name}: the rotation failed in an unforeseen way`, exit.cause)
      const reason = closing ? "the client is closing" : "an internal error"
      return Exit.fail(new RefreshUnavailable({ identity: name, reason, retryAt: yield* DateTime.now }))
    })
  })

  /** From here on calls use this session. */
  const use = Effect.fnUntraced(function* (session: Session, durable: boolean, event: Core.SessionEvent) {
    yield* Ref.set(belief, { ...Belief.nothing, session, durable })
    if (durable) unstored = undefined
    yield* tell(event)
    yield* refreshAhead(session)
    return Belief.accessToken(session)
  })

  const adopt = (session: Session) => use(session, true, { _tag: "Adopted", generation: session.generation })

  const end = Effect.fnUntraced(function* (error: SessionMachine.EndError) {
    yield* note({ end: error })
    if (error._tag === "SessionLost") yield* tell({ _tag: "Lost", generation: error.generation })
    return yield* error
  })

  /** The new tokens are in memory only: calls go on with them, and writing them is tried again until it succeeds. */
  const persistLater = (record: SessionRecord, session: Session) =>
    Effect.suspend(() => (unstored === record ? journal.persistAnew(record) : Effect.undefined)).pipe(
      Effect.uninterruptible,
      turn.withPermit,
      Effect.retry(rewriting),
      Effect.flatMap(
        Effect.fnUntraced(function* (winner) {
          if (unstored !== record) return
          unstored = undefined
          if (winner !== undefined && winner.generation > session.generation) {
            yield* adopt(winner)
          } else {
            yield* note({ durable: true })
            yield* tell({ _tag: "Persisted", generation: session.generation })
          }
        })
      ),
      FiberHandle.run(pending)
    )

  /** Stores a new session, and only then lets calls use it; if the store fails, says so first. */
  const publish = Effect.fnUntraced(function* (version: number, decision: Publish, event: Core.SessionEvent) {
    const { record, session } = decision
    const stored = yield* Effect.result(journal.persist(version, record))
    if (Result.isSuccess(stored)) {
      return stored.success === undefined ? yield* use(session, true, event) : yield* adopt(stored.success)
    }
    const reason = stored.failure.message
    yield* Effect.logWarning(`${name}: the session of generation ${session.generation} is not stored yet: ${reason}`)
    unstored = record
    const token = yield* use(session, false, { _tag: "NotPersisted", generation: session.generation, reason })
    yield* persistLater(record, session)
    return token
  })

  /** Sends a one-time secret once. Its own timeout applies, never a caller's, and closing the layer waits for it. */
  const sendSecret = ({ secret }: Send, purpose: SessionMachine.Purpose): Effect.Effect<Outcome> => {
    const [operation, input] =
      purpose._tag === "Refresh"
        ? [Authentication.refreshToken, { refreshToken: secret }]
        : [Authentication.generateTokens, { apiKey: secret }]
    const differences = contract.confirmed(operation.operation) ?? {}
    const encoded = operation.encode(input)
    if (Result.isFailure(encoded)) {
      return Effect.succeed({ _tag: "NotAnswered", phase: "NotSent", reason: encoded.failure.message })
    }
    return transport.send(operation.toRequest(encoded.success, differences), Option.none()).pipe(
      Effect.withSpan(operation.operation, { kind: "client" }),
      Effect.forkDetach,
      Effect.flatMap(Fiber.join)
    )
  }

  /** A pause before the next attempt, and what is said meanwhile. */
  const coolDown = Effect.fnUntraced(function* (until: number, error: SessionError) {
    yield* note({ cooldown: { until, error } })
    return yield* error
  })

  /** From the claim to the stored result: nothing may cut it short. `undefined`: it is worth one more look at once. */
  const exchange = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose,
    before: Stored,
    claim: Send
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const claimed = yield* journal.replace(before.version, claim.record)
    if (Option.isNone(claimed)) return undefined
    yield* note({ sent: SessionMachine.secretOf(purpose) })
    const { result: outcome, version } = yield* journal.whileRenewing(
      { version: claimed.value, renewed: (renewedAt) => ({ ...claim.record, lease: { owner, renewedAt } }) },
      Duration.divideUnsafe(timing.leaseTimeout, renewalsPerLease),
      sendSecret(claim, purpose)
    )
    const now = yield* Clock.currentTimeMillis
    const reading = Reading.of(outcome, now)
    if (reading._tag !== "Unanswered") yield* note({ sent: undefined })
    // Before a session is declared dead, the store has the last word.
    let base: Stored = reading._tag === "Refused" ? yield* journal.load : { version, record: claim.record }
    for (;;) {
      const decision = SessionMachine.decide(identity, base.record, {
        _tag: "Answered",
        purpose,
        reading,
        before: before.record.intent,
        now
      })
      if (decision._tag === "Adopt") return yield* adopt(decision.session)
      if (decision._tag === "Publish") {
        const { generation } = decision.session
        return yield* publish(base.version, decision, {
          _tag: purpose._tag === "Start" ? "Started" : "Rotated",
          generation
        })
      }
      if (decision._tag !== "Release" && decision._tag !== "End") return yield* Effect.die("an answer asks for nothing")
      // If this cannot be written the intent stays, which is safe: it says that the secret may be spent.
      const written = decision.record === undefined || (yield* noted(base.version, decision.record))
      if (!written) {
        base = yield* journal.load
        continue
      }
      return decision._tag === "End"
        ? yield* end(decision.error)
        : yield* failed(purpose, reading, decision.ambiguousSince, claim.record.intent?.ambiguous === true, now)
    }
  }, Effect.uninterruptible)

  /** Writes what became of an attempt; `false` if somebody else has written since. */
  const noted = (version: number, record: SessionRecord) =>
    journal.replace(version, record).pipe(
      Effect.map(Option.isSome),
      Effect.catchTag("TokenStoreError", (error) => Effect.as(Effect.logWarning(`${name}: ${error.message}`), true))
    )

  /** After an attempt that brought nothing. */
  const failed = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose,
    reading: Reading.Reading,
    ambiguousSince: number | undefined,
    governed: boolean,
    now: number
  ): Effect.fn.Return<undefined, SessionError> {
    const generation = purpose._tag === "Refresh" ? purpose.generation : 0
    const dead = purpose._tag === "Refresh" && purpose.dead
    const reason = "reason" in reading ? reading.reason : ""
    const until = SessionTiming.cooledAt(timing, now, reading._tag === "Unchanged" ? reading.retryAfter : undefined)
    const retryAt = DateTime.makeUnsafe(until)
    if (ambiguousSince === undefined) {
      yield* tell({ _tag: "RefreshFailed", generation, reason })
      return yield* coolDown(until, new RefreshUnavailable({ identity: name, reason, retryAt }))
    }
    yield* note({ ambiguousSince })
    yield* tell({ _tag: "Ambiguous", generation, reason })
    // The request may never have arrived: with a dead access token there is nothing to lose by sending it once more.
    if (dead && !governed) return undefined
    const since = DateTime.makeUnsafe(ambiguousSince)
    const error = new SessionAmbiguous({ identity: name, generation, since, retryAt })
    return dead ? yield* coolDown(until, error) : yield* error
  })

  /** Brings a session to what is wanted of it, together with every other process that wants the same. */
  const pursue = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose
  ): Effect.fn.Return<AccessToken, SessionError> {
    const leaseTimeout = Duration.toMillis(timing.leaseTimeout)
    const started = yield* Clock.currentTimeMillis
    let observed = { version: -1, since: started }
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const known = yield* Ref.get(belief)
      const { cooldown, session } = known
      if (purpose._tag === "Refresh" && session !== undefined && session.generation > purpose.generation) {
        return Belief.accessToken(session)
      }
      // A clock that was set back does not prolong a pause.
      const left = cooldown === undefined ? 0 : cooldown.until - now
      if (cooldown !== undefined && left > 0 && left <= Duration.toMillis(timing.maxCooldown)) return yield* cooldown.error
      const stored = yield* journal.load
      if (stored.version !== observed.version) observed = { version: stored.version, since: now }
      const decision = SessionMachine.decide(identity, stored.record, {
        _tag: "Requested",
        purpose,
        owner,
        sent: known.sent === SessionMachine.secretOf(purpose),
        held: session,
        leaseIsDead: now - observed.since >= leaseTimeout,
        now
      })
      switch (decision._tag) {
        case "Adopt":
          return yield* adopt(decision.session)
        case "Hold":
          return Belief.accessToken(decision.session)
        case "End":
          return yield* end(decision.error)
        case "Wait": {
          if (now - started > leaseTimeout * patience) {
            const retryAt = DateTime.makeUnsafe(SessionTiming.cooledAt(timing, now, undefined))
            const reason = "another process has been refreshing it for too long"
            return yield* new RefreshUnavailable({ identity: name, reason, retryAt })
          }
          yield* Effect.sleep(pollInterval)
          break
        }
        case "Send": {
          const token = yield* exchange(purpose, stored, decision)
          if (token !== undefined) return token
          break
        }
        default:
          return yield* Effect.die("a request is not an answer")
      }
    }
  })

  const join = (purpose: SessionMachine.Purpose) => flight.join(turn.withPermit(pursue(purpose)))

  const rotate = Effect.fnUntraced(function* (rejected: number): Effect.fn.Return<AccessToken, SessionError> {
    const { session } = yield* Ref.get(belief)
    if (session !== undefined && session.generation > rejected) return Belief.accessToken(session)
    const refresh = join({ _tag: "Refresh", generation: rejected, dead: true })
    const token = yield* refresh
    // The flight that was joined may have been for an older generation, or ahead of time.
    return token.generation > rejected ? token : yield* refresh
  })

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    return yield* join({ _tag: "Start", apiKey, fingerprint: yield* keyFingerprint(apiKey) })
  })

  /** The stored record, if it is of this environment. */
  const loadOwn = Effect.gen(function* () {
    const { record } = yield* journal.load
    const foreign = SessionMachine.belongs(identity, record)
    return foreign === undefined ? record : yield* foreign
  })

  const resync = Effect.fnUntraced(function* (rejected: number): Effect.fn.Return<AccessToken, SessionError> {
    const { session } = yield* Ref.get(belief)
    if (session !== undefined && session.generation > rejected) return Belief.accessToken(session)
    const stored = (yield* loadOwn).session
    if (stored !== undefined && stored.generation > (session?.generation ?? -1)) return yield* adopt(stored)
    return session === undefined ? yield* noSession("none is stored") : Belief.accessToken(session)
  })

  /** Without a usable session: one that somebody else has started since, or a start of our own. */
  const recover = Effect.fnUntraced(function* (known: Belief.Belief): Effect.fn.Return<AccessToken, SessionError> {
    const record = yield* loadOwn
    const ended = SessionMachine.ended(identity, record)
    if (record.session !== undefined && ended === undefined) return yield* adopt(record.session)
    const why = ended ?? known.end ?? noSession("none is stored, and no API key is given")
    if (options.apiKey === undefined) return yield* why
    const lost = ended !== undefined
    return yield* Effect.mapError(start(options.apiKey), (error) => (lost && error._tag === "NoSession" ? why : error))
  })

  const current = Effect.suspend(() => {
    const known = Ref.getUnsafe(belief)
    return known.end === undefined && known.session !== undefined
      ? Effect.succeed(Belief.accessToken(known.session))
      : recover(known)
  })

  /** Replaces the token in the background before it expires, while it still serves. */
  const refreshAhead = Effect.fnUntraced(function* ({ expiresAt, generation, obtainedAt }: Session): Effect.fn.Return<void> {
    if (expiresAt === undefined) return
    const spread = yield* Random.nextBetween(0.8, 1)
    const due = SessionTiming.proactiveAt(timing, { expiresAt, obtainedAt }, spread)
    const ahead: Effect.Effect<void> = Effect.gen(function* () {
      yield* Effect.sleep(Math.max(0, due - (yield* Clock.currentTimeMillis)))
      while ((yield* Clock.currentTimeMillis) < expiresAt) {
        const done = yield* Effect.result(join({ _tag: "Refresh", generation, dead: false }))
        if (Result.isSuccess(done)) return
        yield* Effect.sleep(timing.cooldown)
      }
    })
    yield* FiberHandle.run(proactive, ahead)
  })

  // What is stored is known before the first call: a record of another environment stops the program here.
  const stored = yield* loadOwn
  if (stored.session !== undefined) {
    yield* note({ session: stored.session, end: SessionMachine.ended(identity, stored) })
    yield* refreshAhead(stored.session)
  }

  return Core.TokenService.of({
    current,
    rotate,
    resync,
    start,
    status: Effect.map(Ref.get(belief), (known) => Belief.status(name, known, flight.isUnderWay())),
    events: Stream.fromPubSub(happened)
  })
})

type Publish = Extract<SessionMachine.Decision, { _tag: "Publish" }>

/** Gives the calls of one session their access token; see `@effect-custody/core`. */
export class TokenService extends Core.TokenService {
  /**
   * The service of one session, over a transport and a store. Fails if an option is wrong, the store cannot be read, or
   * the stored session belongs to another environment; nothing is sent before the first call.
   */
  static readonly layer = (
    options: Options = {}
  ): Layer.Layer<
    Core.TokenService,
    ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError,
    Transport | TokenStore
  > => Layer.effect(Core.TokenService, make(options))
}
