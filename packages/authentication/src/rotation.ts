/**
 * Rotates or starts a session, coordinated with every other process through the stored record. Within a process,
 * `singleFlight` in `TokenService.ts` runs one rotation at a time.
 *
 * 1. Look: load the record. Adopt a newer session; wait for a living lease of another process.
 * 2. Claim: write lease and intent. This write is the lock, a note that survives a crash, and a proof that the store
 *    takes writes. For an API key, write a second time: the mark that the key is about to be sent. Only the mark makes
 *    the key count as spent, but a claimed refresh token counts as possibly spent, even if it was never sent.
 * 3. Send the secret, once, while the lease is renewed.
 * 4. Apply the response: store the new session, and only then use it; or release the record; or end the session.
 *
 * Steps 2 to 4 cannot be interrupted. `decide.ts` decides. A rotation withdraws its claim of an API key that it did not
 * send.
 */
import { type SessionError, TokenStoreError } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Decide from "./decide.ts"
import * as Pause from "./pause.ts"
import * as Records from "./record.ts"
import { type Key, sameSecret } from "./secrets.ts"
import { type Intent, isNewer, pairId, type Session, type SessionRecord } from "./Session.ts"
import * as SessionState from "./sessionState.ts"
import { now, readUptime, report, uptime } from "./sessionState.ts"
import type { TokenResponse } from "./tokenEndpoint.ts"
import type { Stored } from "./TokenStore.ts"

/** The maximum wait for other lease holders, as a multiple of the lease timeout. */
const maxWait = 6
/** After this many new tokens in a row that the service has rejected, a pause follows if it rejects the next one too. */
const maxRejectedTokens = 4
/** The pause, in milliseconds, before this process again loads a record that another process holds. */
const lookDelay = { first: 20, max: 100, growth: 1.5 } as const
/**
 * After this many intervals without a renewal, this process stops relying on its lease: other processes may take the
 * lease after four intervals.
 */
const maxMissedRenewals = 3
/** The maximum time, in milliseconds, to repeat writes to a failing store before the process ends or freezes. */
const maxShutdownMillis = 45_000

/** The pause between renewals of a lease: a quarter of the time after which a silent holder counts as dead. */
export const renewalInterval = ({ leaseTimeout }: { readonly leaseTimeout: Duration.Duration }): Duration.Duration =>
  Duration.divideUnsafe(leaseTimeout, 4)

const lookAgainAfter = Effect.fnUntraced(function* (looks: number) {
  const delay = Math.min(lookDelay.first * lookDelay.growth ** looks, lookDelay.max)
  yield* Effect.sleep(delay * (yield* Random.nextBetween(0.5, 1)))
})

/** Counts the time in which this process is awake while an effect runs. */
const countInterval = "100 millis"
/**
 * The maximum number of milliseconds that one count adds. In a longer gap this process was frozen, and the holder may
 * have been frozen too.
 */
const maxCount = 200

/**
 * Attempts an effect until it succeeds. After `timeLimit` without an answer the attempt continues, and the next attempt
 * begins in parallel. The pauses after failures grow up to a quarter of `timeLimit`.
 */
const untilSuccess = <A, E>(attempt: Effect.Effect<A, E>, timeLimit: Duration.Duration) =>
  Effect.gen(function* () {
    const success = yield* Deferred.make<A>()
    const attempts = yield* FiberSet.make()
    const begin = FiberSet.run(attempts, Effect.exit(Effect.tap(attempt, (value) => Deferred.succeed(success, value))))
    const attempting = Effect.gen(function* () {
      for (let pause = 100; ;) {
        const ended = yield* Effect.timeoutOption(Fiber.await(yield* begin), timeLimit)
        if (Option.isNone(ended)) continue
        yield* Effect.sleep(pause)
        pause = Math.min(2 * pause, Duration.toMillis(timeLimit) / 4)
      }
    })
    return yield* Effect.raceFirst(Deferred.await(success), attempting)
  }).pipe(Effect.scoped)

const noAnswer = new TokenStoreError({ operation: "compareAndSwap", reason: "no answer in time" })

type Send = Extract<Decide.RequestDecision, { readonly _tag: "Send" }>
type NeedKey = Extract<Decide.RequestDecision, { readonly _tag: "NeedKey" }>

/** A stored claim, and the uptime when its write began: other processes may have watched the lease since then. */
interface Claimed extends Stored {
  readonly writeBeganAt: number
}

export type Rotation = (
  wanted: Decide.Purpose,
  keys?: ReadonlyArray<SessionState.Candidate>
) => Effect.Effect<AccessToken, SessionError>

export interface Options extends SessionState.Parts {
  /** The record, for renewals of the lease: with a wait of a lease instead of the store's time limit. */
  readonly leaseStore: SessionState.Parts["store"]
  readonly apiKeys: SessionState.ApiKeys
  readonly pause: Pause.Pauses
  /**
   * Sends a secret once, and reads the answer. Sends nothing if `isHeld` returns `false` just before the first byte.
   */
  readonly exchange: (
    purpose: Decide.Purpose,
    secret: Redacted.Redacted,
    isHeld: () => boolean
  ) => Effect.Effect<TokenResponse>
  /** Runs the writes of a session that the store did not take at first. */
  readonly rewriter: FiberHandle.FiberHandle<void, never>
}

export const make = (options: Options) => {
  const { apiKeys, exchange, identity, leaseStore, owner, pause, rewriter, state, store, timing } = options
  const interval = renewalInterval(timing)
  const leaseTimeout = Duration.toMillis(timing.leaseTimeout)

  // 1. Look

  /** Runs an effect, and counts its awake time as time in which this process watches the lease. */
  const watching = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(uptime, (startedAt) => {
      const countedAt = Ref.makeUnsafe(startedAt)
      const countNow = Effect.gen(function* () {
        const at = yield* uptime
        const passed = Math.min(Math.max(0, at - (yield* Ref.getAndSet(countedAt, at))), maxCount)
        yield* state.update(({ watch }) => ({ watch: { ...watch, millis: watch.millis + passed } }))
      })
      const counting = Effect.forever(Effect.delay(countNow, countInterval))
      return Effect.tap(Effect.raceFirst(effect, counting), countNow)
    })

  const look = Effect.fnUntraced(function* (purpose: Decide.Purpose, known: SessionState.SessionState) {
    const stored = yield* watching(store.load)
    yield* state.update(({ watch }) => ({ watch: Records.watch(watch, stored) }))
    const decision = Decide.onLook({ identity, owner, leaseTimeout }, purpose, known, stored, yield* now)
    return { decision, stored }
  })

  const nextKey = Effect.fnUntraced(function* (
    candidates: Iterator<SessionState.Candidate>,
    { end: recorded, error }: NeedKey,
    record: SessionRecord,
    isExplicit: boolean
  ): Effect.fn.Return<Key, SessionError> {
    for (let next = candidates.next(); next.done !== true; next = candidates.next()) {
      const key = yield* next.value
      if (key !== undefined) return key
    }
    if (isExplicit) return yield* error
    // Prefer the error that this process has seen: it names the request of the answer, which no record keeps.
    const known = yield* state.get
    const isSame =
      known.session !== undefined && record.session !== undefined && pairId(known.session) === pairId(record.session)
    const end = recorded && ((isSame ? known.end : undefined) ?? recorded)
    // Pause, so that not every call queries a source without keys.
    yield* Effect.exit(pause.begin(undefined, () => end ?? error))
    return yield* end === undefined ? error : state.end(end)
  })

  /** Fails while the session pauses. Begins a pause if the service has rejected five new tokens in a row. */
  const checkPause = Effect.fnUntraced(function* (
    purpose: Decide.Purpose,
    known: SessionState.SessionState
  ): Effect.fn.Return<void, SessionError> {
    // An explicit start has its own key, so a pause that a refresh or another key caused does not apply.
    if (Decide.isExplicit(purpose)) return
    yield* Pause.active(known.pause)
    const isRejected = purpose._tag === "Refresh" && purpose.accessTokenRejected
    const isNew = (yield* uptime) - (known.usedSince ?? 0) < Duration.toMillis(timing.cooldown)
    if (isRejected && isNew && known.unaccepted > maxRejectedTokens) {
      return yield* pause.begin(purpose, pause.unavailable("Rejected", "the service rejects each new access token"))
    }
  })

  /** Runs the steps until the purpose is reached, or fails with the reason. */
  const run = Effect.fnUntraced(function* (
    wanted: Decide.Purpose,
    keys: ReadonlyArray<SessionState.Candidate>
  ): Effect.fn.Return<AccessToken, SessionError> {
    let waitingSince = yield* uptime
    const isExplicit = Decide.isExplicit(wanted)
    const candidates = keys.values()
    let purpose = wanted
    for (let looks = 0; ; looks++) {
      const known = yield* state.get
      if (purpose._tag === "Refresh") {
        const local = SessionState.liveSession(known)
        if (local !== undefined && isNewer(local, purpose.session)) return SessionState.accessToken(local)
        if (known.end !== undefined) return yield* known.end
      }
      if ((yield* uptime) - waitingSince > leaseTimeout * maxWait) {
        const reason = "another process holds it for too long, or the store is too slow"
        return yield* pause.begin(purpose, pause.unavailable("NotSent", reason))
      }
      const { decision, stored } = yield* look(purpose, known)
      if (decision._tag === "NeedKey" || decision._tag === "Send") yield* checkPause(purpose, known)
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Wait":
          yield* watching(lookAgainAfter(looks))
          break
        case "Challenge":
          yield* watching(store.replace(stored.version, decision.record))
          break
        case "KeepServing":
          yield* state.update({ ambiguousSince: decision.ambiguousSince })
          return SessionState.accessToken(decision.session)
        case "Fail": {
          const { error } = decision
          return yield* Records.isEndReason(error) ? state.end(error) : error
        }
        case "NeedKey": {
          const key = yield* nextKey(candidates, decision, stored.record, isExplicit)
          purpose = { _tag: "Start", key, replaces: isExplicit }
          break
        }
        case "Send": {
          const attempted = yield* attempt(purpose, stored, decision)
          // The time of this process's own attempt does not count as waiting for other processes.
          if (attempted === "Sent") waitingSince = yield* uptime
          else if (attempted === "LostRace") {
            // The claim may be stored although its mark is not. A stored claim says that the API key was sent, which is
            // not true here.
            yield* withdraw
            yield* lookAgainAfter(looks)
          } else return attempted
        }
      }
    }
  })

  // 2. Claim

  /** Writes a claim, and for an API key the mark. Returns `undefined` if another process was faster. */
  const claim = Effect.fnUntraced(function* (from: number, { mark, record }: Send) {
    const others = (yield* state.get).unsent.filter((one) => one !== mark)
    if (mark !== undefined) yield* state.update({ unsent: [...others, mark] })
    const unmarked = Records.withoutMarks(record, others)
    const marked = mark === undefined ? [] : [{ ...unmarked, spentKeys: [...unmarked.spentKeys, mark] }]
    let claimed: Claimed | undefined
    for (const next of [unmarked, ...marked]) {
      const writeBeganAt = yield* uptime
      const version: number | undefined = yield* store.replace(claimed?.version ?? from, next)
      if (version === undefined) return undefined
      claimed = { record: next, version, writeBeganAt }
    }
    return claimed
  })

  /**
   * Withdraws this process's claims on API keys that were never sent. Withdraws nothing while another process holds the
   * lease, because the holder's next write would restore the claims: the next rotation tries again.
   */
  const withdraw = Effect.gen(function* () {
    const { unsent } = yield* state.get
    if (unsent.length === 0) return
    const { decision, failure } = yield* store.modify(({ record }) => {
      const rest = Records.withoutClaims(record, owner, unsent)
      const isLater = rest !== record && Decide.isTaken(record, { owner })
      return { isLater, record: rest === record || isLater ? undefined : rest }
    })
    if (failure !== undefined) return yield* failure
    if (!decision.isLater) yield* state.update((now) => ({ unsent: now.unsent.filter((one) => !unsent.includes(one)) }))
  })

  /** Withdraws when the layer closes. The holder of the lease may be about to end: looks again until it has. */
  const withdrawLast = Effect.gen(function* () {
    for (yield* withdraw; (yield* state.get).unsent.length > 0; yield* withdraw) yield* lookAgainAfter(Infinity)
  }).pipe(Effect.timeoutOption(interval), Effect.ignore)

  /** Withdraws, within a time limit, the claims that a rotation left. The next rotation withdraws any that remain. */
  const withdrawSoon = Effect.ignore(Effect.timeoutOption(withdraw, interval))

  // 3. Send

  /**
   * Runs an effect, and renews the lease meanwhile. Returns the result, and the stored record that the next write must
   * replace. A renewal begins in each interval, even if the previous renewal hangs. If another process takes the lease,
   * the effect continues, and `isHeld` returns `false`.
   */
  const whileRenewing = Effect.fnUntraced(function* <A>(
    { record, version, writeBeganAt }: Claimed,
    effect: (isHeld: () => boolean) => Effect.Effect<A>
  ) {
    const clock = yield* Clock.Clock
    const holding = yield* Ref.make<Decide.Holding>({ _tag: "Held", version, since: writeBeganAt })
    const renew = Effect.gen(function* () {
      const known = yield* Ref.get(holding)
      if (known._tag === "Taken") return
      const renewedAt = yield* now
      const renewal = (stored: Stored) => ({
        ...Decide.onRenewal(record, known.version, stored, renewedAt),
        beganAt: readUptime(clock)
      })
      const { decision, failure, stored } = yield* leaseStore.modify(renewal, { version: known.version, record })
      if (failure !== undefined) return
      yield* Ref.update(holding, (before) => Decide.afterRenewal(before, decision, stored.version, decision.beganAt))
    }).pipe(Effect.ignore)

    const renewals = yield* FiberSet.make()
    // The first interval starts when the write of the claim began, because other processes may have watched the lease
    // since then.
    const first = Math.max(0, writeBeganAt + Duration.toMillis(interval) - readUptime(clock))
    const renewing = yield* Effect.sleep(first).pipe(
      Effect.andThen(Effect.forever(Effect.andThen(FiberSet.run(renewals, renew), Effect.sleep(interval)))),
      Effect.interruptible,
      Effect.forkChild
    )
    const result = yield* effect(() => {
      const known = Ref.getUnsafe(holding)
      return known._tag === "Held" && readUptime(clock) - known.since < maxMissedRenewals * Duration.toMillis(interval)
    })
    yield* Fiber.interrupt(renewing)
    yield* FiberSet.clear(renewals)
    const last = yield* Ref.get(holding)
    return { result, stored: { record, version: last._tag === "Held" ? last.version : version } }
  }, Effect.scoped)

  /** Sends the secret. Forgets that it was sent if the service has certainly not used it. */
  const send = Effect.fnUntraced(function* (purpose: Decide.Purpose, { mark, secret }: Send, claimed: Claimed) {
    const { sent: sentBefore, unsent } = yield* state.get
    yield* state.update(SessionState.addSent({ secret, at: yield* now, mark }))
    yield* state.update({ unsent: unsent.filter((one) => one !== mark) })
    const sent = yield* whileRenewing(claimed, (isHeld) => exchange(purpose, secret, isHeld))
    if (sent.result._tag === "NotSpent") yield* state.update({ sent: sentBefore, unsent })
    else if (purpose._tag === "Start" && purpose.key !== undefined) yield* apiKeys.spent(purpose.key)
    return { response: sent.result, stored: sent.stored }
  })

  /**
   * Claims, sends and applies. Returns the token, or the reason to look again. `Sent`: the secret was sent; look at once.
   * `LostRace`: it was not sent, because another process won, or the read was stale; look after a pause.
   */
  const attempt = Effect.fnUntraced(function* (
    purpose: Decide.Purpose,
    stored: Stored,
    decision: Send
  ): Effect.fn.Return<AccessToken | "Sent" | "LostRace", SessionError> {
    const { priorIntent, secret } = decision
    // A token that was refused before ends its session again, because the store has lost the end.
    const { refusal } = SessionState.findSent(yield* state.get, secret) ?? {}
    if (refusal !== undefined) {
      const base = { ...stored, record: decision.record }
      return (yield* apply(purpose, refusal.response, refusal.priorIntent, base)) ?? "LostRace"
    }
    const claimed = yield* claim(stored.version, decision)
    if (claimed === undefined) return "LostRace"
    const sent = yield* send(purpose, decision, claimed)
    const { response } = sent
    if (purpose._tag === "Start" || (response._tag !== "Dead" && response._tag !== "Malformed")) {
      return (yield* apply(purpose, response, priorIntent, sent.stored)) ?? "Sent"
    }
    // Load the record before declaring the session lost, because the store may have a newer session. The remembered
    // refusal keeps this token from being sent again, even if the load fails.
    yield* state.update(SessionState.addRefusal(secret, { response, priorIntent }))
    return (yield* apply(purpose, response, priorIntent, undefined)) ?? "Sent"
  }, Effect.uninterruptible)

  // 4. Apply

  /** Acts on the response, and stores the result. Returns `undefined` if the caller must look at the record again. */
  const apply = Effect.fnUntraced(function* (
    purpose: Decide.Purpose,
    response: TokenResponse,
    priorIntent: Intent | undefined,
    from: Stored | undefined
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const known = yield* state.get
    const event = { purpose, owner, response, priorIntent, now: yield* now }
    const decide = ({ record }: Stored) => Decide.onResponse(identity, SessionState.withMarks(record, known), event)
    if (response._tag === "Tokens" && from !== undefined) {
      const decision = decide(from)
      if (decision._tag === "Store")
        return yield* keep(decision, from, purpose._tag === "Start" ? "Started" : "Rotated")
    }
    const { decision, failure } = yield* store.modify(decide, from)
    if (failure !== undefined) {
      // Obey the service's Retry-After even if the outcome cannot be stored.
      const stands = failure._tag === "TokenStoreError" && (decision._tag === "Release" || failure.operation !== "load")
      if (!stands) return yield* failure
      // The intent stays. That is safe, because the intent says that the secret may be spent.
      yield* report("session.not_released", `${identity.name}: ${failure.message}`)
    }
    switch (decision._tag) {
      case "Adopt":
        return yield* state.adopt(decision.session)
      case "Release":
        return yield* pause.afterAttempt(purpose, decision.response, {
          ...decision,
          isFirst: priorIntent === undefined
        })
      case "End": {
        const { error } = decision
        return yield* Records.isEndReason(error) && purpose._tag === "Refresh"
          ? state.end(error)
          : pause.begin(purpose, () => error, response)
      }
      default:
        return undefined
    }
  })

  const writeUntilStored = (record: SessionRecord) => untilSuccess(store.persist(record), interval)

  /** Uses a newer session from the store. If that session has ended, does nothing: the next call finds that it has ended. */
  const adoptLive = (record: SessionRecord, stored: Session) =>
    Records.endReason(identity, record) === undefined ? state.adopt(stored) : Effect.undefined

  const onStored = Effect.fnUntraced(function* (session: Session, record: SessionRecord) {
    yield* state.update({ unstored: undefined })
    const { session: stored } = record
    if (stored !== undefined && isNewer(stored, session)) return void (yield* adoptLive(record, stored))
    const { session: used } = yield* state.get
    if (used === undefined || pairId(used) !== pairId(session)) return
    yield* state.update({ isDurable: true })
    yield* state.publish({ _tag: "Persisted", generation: session.generation })
  })

  const writeLater = (record: SessionRecord, session: Session, first: ReturnType<typeof store.persist>) =>
    Effect.gen(function* () {
      const stored = yield* Effect.raceFirst(
        Effect.catch(first, () => Effect.never),
        writeUntilStored(record)
      )
      // If `unstored` is another record by now, a newer session has replaced this one.
      const { unstored } = yield* state.get
      if (unstored === record) yield* onStored(session, stored)
    }).pipe(FiberHandle.run(rewriter))

  /**
   * Stores a session over `claimed`, and only then lets calls use the session. If the store fails, calls use the session
   * anyway, and the write is repeated in the background. Returns `undefined` if the store has a newer session that has
   * ended.
   */
  const keep = Effect.fnUntraced(function* (
    { record, session }: { readonly record: SessionRecord; readonly session: Session },
    claimed: Stored,
    event: SessionEvent["_tag"] & ("Started" | "Rotated")
  ): Effect.fn.Return<AccessToken | undefined> {
    // The time limit ends only the wait: the first write continues, because it may be about to succeed. It is short
    // enough to answer a challenge of the lease.
    const first = Effect.interruptible(Fiber.join(yield* Effect.forkDetach(store.persist(record, claimed))))
    const orElse = () => Effect.fail(noAnswer)
    const written = yield* Effect.result(Effect.timeoutOrElse(first, { duration: interval, orElse }))
    if (Result.isSuccess(written)) {
      yield* state.update({ unstored: undefined })
      const stored = written.success.session ?? session
      return sameSecret(stored.accessToken, session.accessToken)
        ? yield* state.use(stored, true, { _tag: event, generation: stored.generation })
        : yield* adoptLive(written.success, stored)
    }
    const { generation } = session
    const reason = written.failure.message
    yield* state.update({ unstored: record })
    const token = yield* state.use(session, false, { _tag: "NotPersisted", generation, reason })
    yield* report("session.not_stored", `${identity.name}, generation ${generation}: ${reason}`)
    yield* writeLater(record, session, first)
    return token
  })

  const writeOnShutdown = Effect.gen(function* () {
    const { unstored } = yield* state.get
    if (unstored === undefined) return
    const writing = writeUntilStored(unstored)
    // Try once more after the time limit, because a process that was frozen for all of this time has written nothing.
    const written = yield* Effect.timeoutOption(writing, maxShutdownMillis)
    if (Option.isSome(written) || Option.isSome(yield* Effect.timeoutOption(writing, timing.storeTimeout))) return
    yield* report("session.dropped", `${identity.name}: the store did not take them`)
  })

  const rotate: Rotation = (wanted, keys = []) =>
    Effect.andThen(
      withdraw,
      Effect.flatMap(Effect.exit(run(wanted, keys)), (exit) => Effect.andThen(withdrawSoon, exit))
    )

  return {
    rotate,
    /** When the layer closes: stores new tokens, then withdraws claims. */
    close: Effect.andThen(writeOnShutdown, withdrawLast),
    /** Waits until the store has every session of this process, for at most `maxShutdownMillis`. */
    awaitStored: Effect.asVoid(Effect.timeoutOption(FiberHandle.awaitEmpty(rewriter), maxShutdownMillis))
  }
}
