/**
 * Rotates or starts a session, coordinated with every other process through the stored record.
 *
 * 1. `look`: load the record. Adopt a newer session; wait for a living lease of another process.
 * 2. `claim`: compare-and-swap lease and intent into the record. This write is the lock, the note that survives a crash,
 *    and the proof that the store can be written before the secret is spent. If the secret is not sent after all, the
 *    claim is withdrawn.
 * 3. `send`: send the one-time secret, once, while the lease is renewed.
 * 4. `apply`: store the new session, and only then use it; or release the lease; or end the session.
 *
 * From 2 to 4 nothing interrupts it. What to do at 1 and 4 is decided in `decision/`.
 */
import * as OperatorLog from "@effect-custody/core/unstable/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type Intent, isNewer, type SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import type { ApiKeys, Candidate } from "./apiKeys.ts"
import type { Claims } from "./claims.ts"
import { now, uptime } from "./clock.ts"
import * as Cooldown from "./cooldown.ts"
import * as Model from "./decision/model.ts"
import { onLook } from "./decision/onLook.ts"
import { onResponse } from "./decision/onResponse.ts"
import * as Lease from "./lease.ts"
import type { Base } from "./recordStore.ts"
import * as SessionMemory from "./sessionMemory.ts"
import * as SessionState from "./sessionState.ts"
import type { SessionWriter } from "./sessionWriter.ts"
import type { TokenResponse } from "./tokenResponse.ts"

type Send = Extract<Model.RequestDecision, { _tag: "Send" }>

/** How long to wait for other holders in total, in lease timeouts. */
const patience = 6
/** Between two looks at a record that another process holds, in milliseconds. */
const lookDelay = { first: 20, longest: 100, growth: 1.5 } as const
/** After so many conflicts in a row, the outcome of an attempt is not written: the intent stays, which is safe. */
const maxConflicts = 32

interface Options extends SessionState.Parts {
  readonly writer: SessionWriter
  readonly claims: Claims
  readonly apiKeys: ApiKeys
  /** Sends the secret of a purpose, once, if the lease is held when its first byte can be written; reads the answer. */
  readonly exchange: (
    purpose: Model.Purpose,
    secret: Redacted.Redacted,
    isHeld: () => boolean
  ) => Effect.Effect<TokenResponse>
}

/** `Sent`: look again at once. `Outrun`: nothing was sent, because another process won, or the read was stale. */
type Attempted = AccessToken | "Sent" | "Outrun"

export interface Rotation extends ReturnType<typeof make> {}

export const make = (options: Options) => {
  const { apiKeys, claims, exchange, identity, owner, state, store, timing, writer } = options
  const leaseTimeout = Duration.toMillis(timing.leaseTimeout)
  const renewalInterval = Lease.renewalInterval(timing)
  const cooldown = Cooldown.make(options)
  const looker = { identity, owner, leaseTimeout }

  const countWatched = (millis: number) =>
    state.update(({ watch }) => ({ watch: { ...watch, millis: watch.millis + millis } }))

  const lookAgainAfter = Effect.fnUntraced(function* (looks: number) {
    const delay = Math.min(lookDelay.first * lookDelay.growth ** looks, lookDelay.longest)
    yield* Effect.sleep(delay * (yield* Random.nextBetween(0.5, 1)))
  })

  /** Loads the record, and adds what this process knows. */
  const reload = Effect.gen(function* () {
    const stored = yield* store.load
    const mismatch = Model.environmentMismatch(identity, stored.record)
    if (mismatch !== undefined) return yield* mismatch
    return { ...stored, record: SessionMemory.withKnown(stored.record, yield* state.get, yield* now) }
  })

  /** Step 1: loads the record and decides. */
  const look = Effect.fnUntraced(function* (purpose: Model.Purpose, known: SessionState.SessionState) {
    const stored = yield* Lease.watching(store.load, countWatched)
    yield* state.update(({ watch }) => ({ watch: Lease.look(watch, stored) }))
    const local = SessionState.liveSession(known)
    if (known.isStoreBehind && (local === undefined || !isNewer(local, stored.record.session))) {
      yield* state.update({ isStoreBehind: false })
    }
    return { ...onLook(looker, purpose, known, stored, yield* now), stored }
  })

  /** Step 3: sends the secret while the lease is renewed, and remembers whether its fate is known. */
  const send = Effect.fnUntraced(function* (purpose: Model.Purpose, { mark, secret }: Send, claimed: Lease.Claimed) {
    const { sent: sentBefore, unsent } = yield* state.get
    yield* state.update(SessionMemory.sends({ secret, at: yield* now, mark }))
    yield* state.update({ unsent: unsent.filter((one) => one !== mark) })
    const sent = yield* Lease.whileRenewing(store, renewalInterval, claimed, (isHeld) =>
      exchange(purpose, secret, isHeld)
    )
    if (sent.result._tag === "NotSpent") yield* state.update({ sent: sentBefore, unsent })
    else if (purpose._tag === "Start" && purpose.key !== undefined) yield* apiKeys.spent(purpose.key)
    return { response: sent.result, stored: sent.base }
  })

  /** Step 4: from the answer to the stored result. `undefined`: look again at once. */
  const apply = Effect.fnUntraced(function* (
    purpose: Model.Purpose,
    response: TokenResponse,
    priorIntent: Intent | undefined,
    leaseState: Model.LeaseState,
    from: Base
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const at = yield* now
    const millis = cooldown.millisAfter(response, priorIntent)
    let stored = from
    for (let conflicts = 0; ; conflicts++) {
      if (conflicts > 1) yield* lookAgainAfter(conflicts)
      const isLast = conflicts === maxConflicts
      const event = { purpose, owner, response, priorIntent, leaseState, now: at }
      const decision = onResponse(identity, stored.record, event)
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Defer":
          return undefined
        case "Store":
          return yield* writer.write(decision, stored, purpose._tag === "Start" ? "Started" : "Rotated")
        case "Release":
          if (!(yield* written(stored, decision.record)) && !isLast) break
          return yield* cooldown.afterAttempt(purpose, decision.response, millis, decision.ambiguousSince)
        case "End": {
          if (!(yield* written(stored, decision.record)) && !isLast) break
          const { error } = decision
          return yield* Model.isEndReason(error) && purpose._tag === "Refresh"
            ? state.end(error, purpose.session)
            : cooldown.pause(purpose, millis, () => error)
        }
      }
      const again = yield* Effect.result(reload)
      if (Result.isSuccess(again)) stored = again.success
      // The service's Retry-After is obeyed even if it cannot be stored.
      else if (decision._tag === "Release" && again.failure._tag === "TokenStoreError") {
        return yield* cooldown.afterAttempt(purpose, decision.response, millis, decision.ambiguousSince)
      } else return yield* again.failure
    }
  })

  /** Writes the outcome of an attempt; `false` if another process has written since. */
  const written = (stored: Base, record: SessionRecord | undefined) =>
    record === undefined
      ? Effect.succeed(true)
      : store.replace(stored.version, record).pipe(
          Effect.map(Option.isSome),
          // Without this write the intent stays, which is safe: it says that the secret may be spent.
          Effect.catchTag("TokenStoreError", (error) =>
            Effect.as(OperatorLog.report("session.not_released", `${identity.name}: ${error.message}`), true)
          )
        )

  /** Steps 2 to 4, uninterruptible. */
  const attempt = Effect.fnUntraced(function* (
    purpose: Model.Purpose,
    stored: Stored,
    decision: Send
  ): Effect.fn.Return<Attempted, SessionError, Scope.Scope> {
    const { priorIntent, secret } = decision
    const claimed = yield* claims.claim(stored, decision)
    if (claimed === undefined) return "Outrun"
    const sent = yield* send(purpose, decision, claimed)
    const { response } = sent
    if (response._tag !== "Rejected" || purpose._tag === "Start") {
      return (yield* apply(purpose, response, priorIntent, "Alive", sent.stored)) ?? "Sent"
    }
    // Before a session is declared lost, the store is asked for a newer one. Until it answers, nothing is sent.
    yield* state.update(SessionMemory.rejected({ secret, response, priorIntent }))
    return (yield* apply(purpose, response, priorIntent, "Alive", yield* reload)) ?? "Sent"
  }, Effect.uninterruptible)

  /** Sends, unless the secret was rejected before: then that answer is applied to what the store holds now. */
  const sendOrReapply = Effect.fnUntraced(function* (
    purpose: Model.Purpose,
    known: SessionState.SessionState,
    decision: Send,
    { leaseState, stored }: { readonly stored: Stored; readonly leaseState: Model.LeaseState }
  ) {
    const local = SessionState.liveSession(known)
    const isBehind = local !== undefined && known.isDurable && decision.record.session !== stored.record.session
    if (isBehind && !known.isStoreBehind) {
      yield* state.update({ isStoreBehind: true })
      yield* state.publish({
        _tag: "StoreBehind",
        generation: local.generation,
        stored: stored.record.session?.generation ?? -1
      })
    }
    const rejection = SessionMemory.rejectionOf(known, decision.secret)
    if (rejection === undefined) return yield* Effect.scoped(attempt(purpose, stored, decision))
    return (yield* apply(purpose, rejection.response, rejection.priorIntent, leaseState, stored)) ?? "Outrun"
  })

  const nextKey = Effect.fnUntraced(function* (
    candidates: Iterator<Candidate>,
    decision: Extract<Model.RequestDecision, { _tag: "NeedKey" }>,
    record: SessionRecord,
    isExplicit: boolean
  ): Effect.fn.Return<Model.Key, SessionError> {
    for (let next = candidates.next(); next.done !== true; next = candidates.next()) {
      const key = yield* next.value
      if (key !== undefined) return key
    }
    const { error } = decision
    if (isExplicit) return yield* error
    const end = decision.end && (SessionMemory.endSeen(yield* state.get, record.session) ?? decision.end)
    // Pause, so that not every call asks a source without keys.
    yield* cooldown.failUntil(cooldown.millisAfter(), end ?? error)
    return yield* end === undefined ? error : state.end(end, record.session)
  })

  /** Runs the steps until the purpose is reached, or fails with why it cannot be now. */
  const run = Effect.fnUntraced(function* (
    wanted: Model.Purpose,
    keys: ReadonlyArray<Candidate>
  ): Effect.fn.Return<AccessToken, SessionError> {
    let waitingSince = yield* uptime
    const isExplicit = Model.isExplicit(wanted)
    const candidates = keys.values()
    let purpose = wanted
    for (let looks = 0; ; looks++) {
      const known = yield* state.get
      if (purpose._tag === "Refresh") {
        const local = SessionState.liveSession(known)
        if (local !== undefined && isNewer(local, purpose.session)) return SessionState.accessToken(local)
        if (known.end !== undefined) return yield* known.end
      }
      const at = yield* uptime
      if (at - waitingSince > leaseTimeout * patience) {
        const reason = "another process holds it for too long, or the store is too slow"
        return yield* cooldown.pause(purpose, cooldown.millisAfter(), cooldown.unavailable("NotSent", reason))
      }
      const looked = yield* look(purpose, known)
      // An explicit start has its own key, so the pause after a refresh or another key does not apply to it.
      const paused = known.pause !== undefined && at < known.pause.until && !isExplicit ? known.pause : undefined
      const { decision } = looked
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Wait":
          yield* Lease.watching(lookAgainAfter(looks), countWatched)
          break
        case "Challenge":
          yield* Lease.watching(store.replace(looked.stored.version, decision.record), countWatched)
          break
        case "KeepServing":
          yield* state.update({ ambiguousSince: decision.ambiguousSince })
          return SessionState.accessToken(decision.session)
        case "Fail": {
          const { error } = decision
          return yield* Model.isEndReason(error) ? state.end(error, looked.record.session) : error
        }
        case "NeedKey": {
          if (paused !== undefined) return yield* paused.error
          const key = yield* nextKey(candidates, decision, looked.record, isExplicit)
          purpose = { _tag: "Start", key, replaces: isExplicit }
          break
        }
        case "Send": {
          if (paused !== undefined) return yield* paused.error
          const attempted = yield* sendOrReapply(purpose, known, decision, looked)
          // The time of its own attempt does not count as waiting for others. The next look follows at once.
          if (attempted === "Sent") waitingSince = yield* uptime
          else if (attempted === "Outrun") {
            // A claim that was written too slowly would look like one that was acted on.
            yield* claims.withdraw
            yield* lookAgainAfter(looks)
          } else return attempted
        }
      }
    }
  })

  return Effect.fnUntraced(function* (
    wanted: Model.Purpose,
    keys: ReadonlyArray<Candidate> = []
  ): Effect.fn.Return<AccessToken, SessionError> {
    yield* claims.withdraw
    const exit = yield* Effect.exit(run(wanted, keys))
    yield* claims.withdrawSoon
    return yield* exit
  })
}
