/**
 * Rotates or starts a session, coordinated with every other process through the stored record.
 *
 * 1. Look: load the record. Adopt a newer session; wait for a living lease of another process.
 * 2. Attempt (`attempt.ts`): claim the record, send the one-time secret, apply the response.
 *
 * The rotation withdraws its claim of an API key that it did not send. `decision.ts` decides what to do after a look.
 */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Candidate } from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import { now, uptime } from "../store/clock.ts"
import { isEndReason } from "../store/record.ts"
import type { Key } from "../endpoint/records.ts"
import { isNewer, pairId, type SessionRecord } from "../store/Session.ts"
import { attempt, type Context, lookAgainAfter } from "./attempt.ts"
import * as Model from "./decision.ts"
import * as Lease from "./lease.ts"
import * as Pause from "./pause.ts"

/** The maximum wait for other lease holders, as a multiple of the lease timeout. */
const maxWait = 6
/** After this many new tokens in a row that the service has rejected, a pause follows if it rejects the next one too. */
const maxRejectedTokens = 4

/** Runs an effect, and counts its time as time in which this process watches the lease. */
const watching = <A, E>({ state }: Context, effect: Effect.Effect<A, E>) =>
  Lease.watching(effect, (millis) =>
    state.update(({ watch }) => ({ watch: { ...watch, millis: watch.millis + millis } }))
  )

/** Loads the record and decides. */
const look = Effect.fnUntraced(function* (context: Context, purpose: Model.Purpose, known: SessionState.SessionState) {
  const { identity, owner, state, store, timing } = context
  const looker = { identity, owner, leaseTimeout: Duration.toMillis(timing.leaseTimeout) }
  const stored = yield* watching(context, store.load)
  yield* state.update(({ watch }) => ({ watch: Lease.look(watch, stored) }))
  return { decision: Model.onLook(looker, purpose, known, stored, yield* now), stored }
})

const nextKey = Effect.fnUntraced(function* (
  { pause, state }: Context,
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
  // Prefer the error that this process has seen: it names the request of the answer, which no record keeps.
  const known = yield* state.get
  const isSame =
    known.session !== undefined && record.session !== undefined && pairId(known.session) === pairId(record.session)
  const end = decision.end && ((isSame ? known.end : undefined) ?? decision.end)
  // Pause, so that not every call queries a source without keys.
  yield* Effect.exit(pause.begin(undefined, () => end ?? error))
  return yield* end === undefined ? error : state.end(end)
})

/** Fails while the session pauses. Begins a pause if the service has rejected five new tokens in a row. */
const checkPause = Effect.fnUntraced(function* (
  { pause, timing }: Context,
  purpose: Model.Purpose,
  known: SessionState.SessionState
): Effect.fn.Return<void, SessionError> {
  // An explicit start has its own key, so a pause that a refresh or another key caused does not apply.
  if (Model.isExplicit(purpose)) return
  yield* Pause.active(known.pause)
  const isRejected = purpose._tag === "Refresh" && purpose.accessTokenRejected
  const isNew = (yield* uptime) - (known.usedSince ?? 0) < Duration.toMillis(timing.cooldown)
  if (isRejected && isNew && known.unaccepted > maxRejectedTokens) {
    return yield* pause.begin(purpose, pause.unavailable("Rejected", "the service rejects each new access token"))
  }
})

/** Runs the steps until the purpose is reached, or fails with the reason. */
const run = Effect.fnUntraced(function* (
  context: Context,
  wanted: Model.Purpose,
  keys: ReadonlyArray<Candidate>
): Effect.fn.Return<AccessToken, SessionError> {
  const { claims, pause, state, store, timing } = context
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
    if ((yield* uptime) - waitingSince > Duration.toMillis(timing.leaseTimeout) * maxWait) {
      const reason = "another process holds it for too long, or the store is too slow"
      return yield* pause.begin(purpose, pause.unavailable("NotSent", reason))
    }
    const { decision, stored } = yield* look(context, purpose, known)
    if (decision._tag === "NeedKey" || decision._tag === "Send") yield* checkPause(context, purpose, known)
    switch (decision._tag) {
      case "Adopt":
        return yield* state.adopt(decision.session)
      case "Wait":
        yield* watching(context, lookAgainAfter(looks))
        break
      case "Challenge":
        yield* watching(context, store.replace(stored.version, decision.record))
        break
      case "KeepServing":
        yield* state.update({ ambiguousSince: decision.ambiguousSince })
        return SessionState.accessToken(decision.session)
      case "Fail": {
        const { error } = decision
        return yield* isEndReason(error) ? state.end(error) : error
      }
      case "NeedKey": {
        const key = yield* nextKey(context, candidates, decision, stored.record, isExplicit)
        purpose = { _tag: "Start", key, replaces: isExplicit }
        break
      }
      case "Send": {
        const attempted = yield* attempt(context, purpose, stored, decision)
        // The time of this process's own attempt does not count as waiting for other processes.
        if (attempted === "Sent") waitingSince = yield* uptime
        else if (attempted === "LostRace") {
          // The claim may be stored although its mark is not. A stored claim says that the API key was
          // sent, which is not true here.
          yield* claims.withdraw
          yield* lookAgainAfter(looks)
        } else return attempted
      }
    }
  }
})

export type Rotation = (
  wanted: Model.Purpose,
  keys?: ReadonlyArray<Candidate>
) => Effect.Effect<AccessToken, SessionError>

export const make =
  (context: Context): Rotation =>
  (wanted, keys = []) =>
    Effect.andThen(
      context.claims.withdraw,
      Effect.flatMap(Effect.exit(run(context, wanted, keys)), (exit) =>
        Effect.andThen(context.claims.withdrawSoon, exit)
      )
    )
