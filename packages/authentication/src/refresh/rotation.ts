/**
 * Rotates or starts a session, coordinated with every other process through the stored record.
 *
 * 1. `look`: load the record. Adopt a newer session; wait for a living lease of another process.
 * 2. `claim`: compare-and-swap lease and intent into the record, before the secret is sent. This write is the lock, a
 *    note that survives a crash, and a proof that the store takes writes. The claim of an unsent API key is withdrawn.
 * 3. `send`: send the one-time secret, once, while the lease is renewed.
 * 4. `apply`: store the new session, and only then use it; or release the lease; or end the session.
 *
 * Steps 2 to 4 cannot be interrupted. `decision.ts` decides what to do in steps 1 and 4.
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
import type { TokenResponse } from "../endpoint/tokenEndpoint.ts"
import type { ApiKeys, Candidate } from "../session/apiKeys.ts"
import * as LeaseWatch from "../session/leaseWatch.ts"
import * as SentSecrets from "../session/sentSecrets.ts"
import * as SessionState from "../session/sessionState.ts"
import { now, uptime } from "../store/clock.ts"
import { environmentMismatch, isEndReason } from "../store/record.ts"
import type { Base } from "../store/recordStore.ts"
import type { Key } from "../store/secrets.ts"
import { type Intent, isNewer, pairId, type SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"
import { onLook, onResponse } from "./decision.ts"
import * as Model from "./decisionModel.ts"
import * as Lease from "./lease.ts"
import * as Pause from "./pause.ts"
import type { SessionWriter } from "./sessionWriter.ts"

type Send = Extract<Model.RequestDecision, { _tag: "Send" }>

/** The maximum wait for other lease holders, as a multiple of the lease timeout. */
const maxWait = 6
/** The pause, in milliseconds, before this process again loads a record that another process holds. */
const lookDelay = { first: 20, max: 100, growth: 1.5 } as const
/**
 * After this many write conflicts in a row, the outcome of an attempt is not written. The stored intent then says that
 * the secret may be spent.
 */
const maxConflicts = 32

/** After this many new tokens in a row that the service has rejected, each refresh waits for a pause first. */
const maxRejectedTokens = 4

interface Options extends SessionState.Parts {
  readonly writer: SessionWriter
  readonly claims: Lease.Claims
  readonly apiKeys: ApiKeys
  readonly pause: ReturnType<typeof Pause.make>
  /**
   * Sends a secret once, and reads the answer. Sends nothing if `isHeld` returns `false` just before the first byte.
   */
  readonly exchange: (
    purpose: Model.Purpose,
    secret: Redacted.Redacted,
    isHeld: () => boolean
  ) => Effect.Effect<TokenResponse>
}

/**
 * The token, or the reason to load the record again. `Sent`: the secret was sent; load at once. `LostRace`: the secret
 * was not sent, because another process won, the claim was too slow, or the read was stale; load after a pause.
 */
type Attempted = AccessToken | "Sent" | "LostRace"

export interface Rotation extends ReturnType<typeof make> {}

export const make = (options: Options) => {
  const { apiKeys, claims, exchange, identity, owner, pause, state, store, timing, writer } = options
  const leaseTimeout = Duration.toMillis(timing.leaseTimeout)
  const renewalInterval = Lease.renewalInterval(timing)
  const looker = { identity, owner, leaseTimeout }

  const countWatched = (millis: number) =>
    state.update(({ watch }) => ({ watch: { ...watch, millis: watch.millis + millis } }))

  const lookAgainAfter = Effect.fnUntraced(function* (looks: number) {
    const delay = Math.min(lookDelay.first * lookDelay.growth ** looks, lookDelay.max)
    yield* Effect.sleep(delay * (yield* Random.nextBetween(0.5, 1)))
  })

  /** Loads the record, and adds what this process knows. */
  const reload = Effect.gen(function* () {
    const stored = yield* store.load
    const mismatch = environmentMismatch(identity, stored.record)
    if (mismatch !== undefined) return yield* mismatch
    return { ...stored, record: SentSecrets.withMarks(stored.record, yield* state.get) }
  })

  /** Step 1: loads the record and decides. */
  const look = Effect.fnUntraced(function* (purpose: Model.Purpose, known: SessionState.SessionState) {
    const stored = yield* LeaseWatch.watching(store.load, countWatched)
    yield* state.update(({ watch }) => ({ watch: LeaseWatch.look(watch, stored) }))
    return { ...onLook(looker, purpose, known, stored, yield* now), stored }
  })

  /** Step 3: sends the secret while the lease is renewed. Forgets the send if the secret was certainly not used. */
  const send = Effect.fnUntraced(function* (purpose: Model.Purpose, { mark, secret }: Send, claimed: Lease.Claimed) {
    const { sent: sentBefore, unsent } = yield* state.get
    yield* state.update(SentSecrets.addSent({ secret, at: yield* now, mark }))
    yield* state.update({ unsent: unsent.filter((one) => one !== mark) })
    const sent = yield* Lease.whileRenewing(store, renewalInterval, claimed, (isHeld) =>
      exchange(purpose, secret, isHeld)
    )
    if (sent.result._tag === "NotSpent") yield* state.update({ sent: sentBefore, unsent })
    else if (purpose._tag === "Start" && purpose.key !== undefined) yield* apiKeys.spent(purpose.key)
    return { response: sent.result, stored: sent.base }
  })

  /**
   * Step 4: acts on the response, and stores the result. Returns `undefined` if the caller must load the record again
   * at once.
   */
  const apply = Effect.fnUntraced(function* (
    purpose: Model.Purpose,
    response: TokenResponse,
    priorIntent: Intent | undefined,
    from: Base
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const at = yield* now
    const isFirst = priorIntent === undefined
    let stored = from
    for (let conflicts = 0; ; conflicts++) {
      if (conflicts > 1) yield* lookAgainAfter(conflicts)
      const isLast = conflicts === maxConflicts
      const event = { purpose, owner, response, priorIntent, now: at }
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
          return yield* pause.afterAttempt(purpose, decision.response, { ...decision, isFirst })
        case "End": {
          if (!(yield* written(stored, decision.record)) && !isLast) break
          const { error } = decision
          return yield* isEndReason(error) && purpose._tag === "Refresh"
            ? state.end(error)
            : pause.begin(purpose, () => error, response)
        }
      }
      const again = yield* Effect.result(reload)
      if (Result.isSuccess(again)) stored = again.success
      // Obey the service's Retry-After even if the outcome cannot be stored.
      else if (decision._tag === "Release" && again.failure._tag === "TokenStoreError") {
        return yield* pause.afterAttempt(purpose, decision.response, { ...decision, isFirst })
      } else return yield* again.failure
    }
  })

  /** Writes the outcome of an attempt. Returns `false` if another process has written in between. */
  const written = (stored: Base, record: SessionRecord | undefined) =>
    record === undefined
      ? Effect.succeed(true)
      : store.replace(stored.version, record).pipe(
          Effect.map(Option.isSome),
          // If this write fails, the intent stays. That is safe, because the intent says that the secret may be spent.
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
    if (claimed === undefined) return "LostRace"
    const sent = yield* send(purpose, decision, claimed)
    const { response } = sent
    if (purpose._tag === "Start" || (response._tag !== "Rejected" && response._tag !== "Malformed")) {
      return (yield* apply(purpose, response, priorIntent, sent.stored)) ?? "Sent"
    }
    // Load the record before declaring the session lost, because the store may have a newer session. The remembered
    // refusal keeps this token from being sent again, even if the load fails.
    yield* state.update(SentSecrets.addRefusal(secret, { response, priorIntent }))
    return (yield* apply(purpose, response, priorIntent, yield* reload)) ?? "Sent"
  }, Effect.uninterruptible)

  const nextKey = Effect.fnUntraced(function* (
    candidates: Iterator<Candidate>,
    decision: Extract<Model.RequestDecision, { _tag: "NeedKey" }>,
    record: SessionRecord,
    isExplicit: boolean
  ): Effect.fn.Return<Key, SessionError> {
    for (let next = candidates.next(); next.done !== true; next = candidates.next()) {
      const key = yield* next.value
      if (key !== undefined) return key
    }
    const { error } = decision
    if (isExplicit) return yield* error
    // The end that this process has seen has the answer's support data, which no record keeps.
    const known = yield* state.get
    const isSame =
      known.session !== undefined && record.session !== undefined && pairId(known.session) === pairId(record.session)
    const end = decision.end && ((isSame ? known.end : undefined) ?? decision.end)
    // Pause, so that not every call queries a source without keys.
    yield* Effect.exit(pause.begin(undefined, () => end ?? error))
    return yield* end === undefined ? error : state.end(end)
  })

  /** Runs the steps until the purpose is reached, or fails with the reason. */
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
      if (at - waitingSince > leaseTimeout * maxWait) {
        const reason = "another process holds it for too long, or the store is too slow"
        return yield* pause.begin(purpose, pause.unavailable("NotSent", reason))
      }
      const looked = yield* look(purpose, known)
      const { decision } = looked
      // An explicit start has its own key, so a pause that a refresh or another key caused does not apply.
      if (!isExplicit && (decision._tag === "NeedKey" || decision._tag === "Send")) yield* Pause.active(known.pause)
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Wait":
          yield* LeaseWatch.watching(lookAgainAfter(looks), countWatched)
          break
        case "Challenge":
          yield* LeaseWatch.watching(store.replace(looked.stored.version, decision.record), countWatched)
          break
        case "KeepServing":
          yield* state.update({ ambiguousSince: decision.ambiguousSince })
          return SessionState.accessToken(decision.session)
        case "Fail": {
          const { error } = decision
          return yield* isEndReason(error) ? state.end(error) : error
        }
        case "NeedKey": {
          const key = yield* nextKey(candidates, decision, looked.record, isExplicit)
          purpose = { _tag: "Start", key, replaces: isExplicit }
          break
        }
        case "Send": {
          const isRejected = purpose._tag === "Refresh" && purpose.accessTokenRejected
          if (isRejected && known.unaccepted > maxRejectedTokens && known.pause === undefined) {
            const reason = "the service rejects each new access token"
            return yield* pause.begin(purpose, pause.unavailable("Rejected", reason))
          }
          const { refusal } = SentSecrets.find(known, decision.secret) ?? {}
          // A token that was refused before ends its session again, because the store has lost the end.
          const attempted =
            refusal === undefined
              ? yield* Effect.scoped(attempt(purpose, looked.stored, decision))
              : ((yield* apply(purpose, refusal.response, refusal.priorIntent, {
                  version: looked.stored.version,
                  record: decision.record
                })) ?? "LostRace")
          // The time of this process's own attempt does not count as waiting for other processes.
          if (attempted === "Sent") waitingSince = yield* uptime
          else if (attempted === "LostRace") {
            // A write of the claim that took too long may still have been stored. A stored claim says that the API key was
            // sent, which is not true here.
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
