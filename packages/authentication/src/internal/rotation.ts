/** Brings a session to what is wanted of it, together with every other process that wants the same. */
import { RefreshUnavailable, SessionAmbiguous, type SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { Intent, SessionRecord } from "../Session.ts"
import * as SessionMachine from "./decision/model.ts"
import * as SessionTiming from "../SessionTiming.ts"
import type { Stored } from "../TokenStore.ts"
import * as Belief from "./sessionState.ts"
import type { Journal } from "./recordStore.ts"
import type { Keeper } from "./sessionWriter.ts"
import type { Keys } from "./apiKeys.ts"
import type { Reading } from "./tokenResponse.ts"
import * as Records from "./decision/record.ts"
import type { State } from "./state.ts"
import { now, uptime } from "./clock.ts"

type Send = Extract<SessionMachine.Plan, { _tag: "Send" }>

/** How many lease timeouts a caller waits for other holders altogether. */
const patience = 6
/** The pauses between two looks at the record of another holder, in milliseconds. */
const looks = { first: 20, longest: 100, growth: 1.5 } as const
/** A look counts for no more than this: a process that was frozen has not watched the lease meanwhile. */
const watchedAtMost = 2 * looks.longest

/** A claim that took this part of a lease to write is not acted on: others may have seen it for as long. */
const freshPart = 0.5

export interface Options {
  readonly identity: SessionMachine.Identity
  readonly timing: SessionTiming.SessionTiming
  readonly owner: string
  readonly state: State
  readonly journal: Journal
  readonly keeper: Keeper
  /** Sends the secret of a purpose: what became of it. */
  readonly exchange: (purpose: SessionMachine.Purpose, secret: Send["secret"]) => Effect.Effect<Reading>
}

const isEnd = (error: SessionMachine.EndError): error is SessionMachine.Ended =>
  error._tag === "SessionLost" || error._tag === "StoredSessionInvalid"

/** How long the service asks to wait before the next request. */
const askedBy = (reading: Reading) => ("retryAfter" in reading ? reading.retryAfter : undefined)

export const make = ({ exchange, identity, journal, keeper, owner, state, timing }: Options) => {
  const { name } = identity
  const leaseTimeout = Duration.toMillis(timing.leaseTimeout)
  const longestPause = Duration.toMillis(timing.maxCooldown)

  /** Watches a lease: it is dead when its record was seen unchanged for as long as a holder may be silent. */
  const watch = () => {
    let seen = { version: -1, at: 0, watched: 0 }
    return (version: number, at: number): boolean => {
      seen =
        seen.version === version
          ? { version, at, watched: seen.watched + Math.min(Math.max(0, at - seen.at), watchedAtMost) }
          : { version, at, watched: 0 }
      return seen.watched >= leaseTimeout
    }
  }

  /** A pause before the next attempt, and what is said meanwhile. */
  const pause = Effect.fnUntraced(function* (millis: number, error: (retryAt: DateTime.Utc) => SessionError) {
    const said = error(DateTime.makeUnsafe((yield* now) + millis))
    yield* state.note({ pause: { until: (yield* uptime) + millis, error: said } })
    return yield* said
  })

  const ambiguous = (purpose: SessionMachine.Purpose, ambiguousSince: number) => (retryAt: DateTime.Utc) =>
    new SessionAmbiguous({
      identity: name,
      generation: purpose._tag === "Refresh" ? purpose.session.generation : 0,
      since: DateTime.makeUnsafe(ambiguousSince),
      retryAt
    })

  /** After an attempt that brought nothing. `undefined`: it is worth one more at once. */
  const unsuccessful = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose,
    reading: Reading,
    earlier: Intent | undefined,
    ambiguousSince: number | undefined
  ): Effect.fn.Return<undefined, SessionError> {
    const { dead, session } = purpose._tag === "Refresh" ? purpose : { dead: false, session: undefined }
    const generation = session?.generation ?? 0
    const reason = "reason" in reading ? reading.reason : ""
    yield* state.note({ ambiguousSince })
    const millis = SessionTiming.pauseFor(timing, askedBy(reading))
    if (reading._tag === "Unchanged" || ambiguousSince === undefined) {
      yield* state.tell({ _tag: "RefreshFailed", generation, reason })
      return yield* pause(millis, (retryAt) => new RefreshUnavailable({ identity: name, reason, retryAt }))
    }
    yield* state.tell({ _tag: "Ambiguous", generation, reason })
    // The request may never have arrived: with a dead access token there is nothing to lose by sending it once more.
    if (dead && earlier === undefined) return undefined
    const error = ambiguous(purpose, ambiguousSince)
    return yield* dead ? pause(millis, error) : error(yield* DateTime.now)
  })

  /** Writes what became of an attempt; `false` if somebody else has written since. */
  const noted = (stored: Stored, record: SessionRecord | undefined) =>
    record === undefined
      ? Effect.succeed(true)
      : journal.replace(stored.version, record).pipe(
          Effect.map(Option.isSome),
          // If it cannot be written the intent stays, which is safe: it says that the secret may be spent.
          Effect.catchTag("TokenStoreError", (error) => Effect.as(Effect.logWarning(`${name}: ${error.message}`), true))
        )

  /** From the answer to the stored result. `undefined`: it is worth one more look at once. */
  const settle = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose,
    reading: Reading,
    earlier: Intent | undefined,
    base: Stored,
    leaseIsDead: boolean
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const at = yield* now
    const retryAt = at + SessionTiming.pauseFor(timing, askedBy(reading))
    for (let stored = base; ; stored = yield* journal.load) {
      const event = { _tag: "Answered", purpose, owner, reading, earlier, leaseIsDead, now: at, retryAt } as const
      const decision = SessionMachine.settle(identity, stored.record, event)
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Defer":
          return undefined
        case "Publish":
          return yield* keeper.publish(decision, stored.version, purpose._tag === "Start" ? "Started" : "Rotated")
        case "Release":
          if (yield* noted(stored, decision.record)) {
            return yield* unsuccessful(purpose, reading, earlier, decision.ambiguousSince)
          }
          break
        case "End":
          if (yield* noted(stored, decision.record)) {
            const { error } = decision
            return yield* isEnd(error) && purpose._tag === "Refresh"
              ? state.end(error, purpose.session)
              : pause(SessionTiming.pauseFor(timing, askedBy(reading)), () => error)
          }
      }
    }
  })

  /** From the claim to the stored result: nothing may cut it short. `undefined`: it is worth one more look at once. */
  const attempt = Effect.fnUntraced(function* (
    purpose: SessionMachine.Purpose,
    stored: Stored,
    { earlier, record, secret }: Send
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const asked = yield* uptime
    const claimed = yield* journal.replace(stored.version, record)
    if (Option.isNone(claimed) || (yield* uptime) - asked > leaseTimeout * freshPart) return undefined
    yield* state.note({ sent: secret })
    const { result: reading, version } = yield* journal.whileRenewing(
      { version: claimed.value, record, owner },
      exchange(purpose, secret)
    )
    if (reading._tag === "Unchanged") yield* state.note({ sent: undefined })
    if (reading._tag !== "Refused" || purpose._tag === "Start") {
      return yield* settle(purpose, reading, earlier, { version, record }, false)
    }
    // Before a session is declared dead, the store has the last word; until it can be asked, nothing is sent.
    yield* state.note({ refused: Belief.withRefusal(state.known(), { secret, reading, earlier }) })
    return yield* settle(purpose, reading, earlier, yield* journal.load, false)
  }, Effect.uninterruptible)

  /** Says so, once, when the store holds an older session than this process. */
  const tellBehind = Effect.fnUntraced(function* (held: { readonly generation: number }, { record }: Stored) {
    const stored = record.session?.generation ?? -1
    yield* Effect.logWarning(
      `${name}: the store holds generation ${stored}, and this process ${held.generation}: it was restored, or is a copy`
    )
    yield* state.tell({ _tag: "StoreBehind", generation: held.generation, stored })
  })

  /** Until the purpose is reached, or it is clear why it can't be now. */
  return Effect.fnUntraced(function* (
    wanted: SessionMachine.Purpose,
    keys: Keys
  ): Effect.fn.Return<AccessToken, SessionError> {
    const started = yield* uptime
    const leaseIsDeadAt = watch()
    const isExplicit = wanted._tag === "Start" && wanted.replaces
    let purpose = wanted
    let look: number = looks.first
    for (;;) {
      const known = state.known()
      const held = Belief.liveSession(known)
      if (purpose._tag === "Refresh" && held !== undefined && Records.isPast(held, purpose)) {
        return Belief.accessToken(held)
      }
      if (purpose._tag === "Refresh" && known.end !== undefined) return yield* known.end
      const at = yield* uptime
      if (at - started > leaseTimeout * patience) {
        const reason = "another process has been refreshing it for too long"
        return yield* pause(
          SessionTiming.pauseFor(timing, undefined),
          (retryAt) => new RefreshUnavailable({ identity: name, reason, retryAt })
        )
      }
      const stored = yield* journal.load
      const leaseIsDead = leaseIsDeadAt(stored.version, at)
      const clock = yield* now
      const secret = Records.secretOf(purpose)
      const record = Belief.withEnd(stored.record, known, clock)
      // Whoever asks for a start with a key in hand is not kept waiting for what another key, or a refresh, has run into.
      const isPaused = known.pause !== undefined && at < known.pause.until && !isExplicit
      const decision = SessionMachine.plan(identity, record, {
        _tag: "Requested",
        purpose,
        owner,
        sent: Records.sameSecret(known.sent, secret),
        held,
        leaseIsDead,
        now: clock,
        longestPause
      })
      switch (decision._tag) {
        case "Adopt":
          return yield* state.adopt(decision.session)
        case "Hold":
          yield* state.note({ ambiguousSince: decision.ambiguousSince })
          return Belief.accessToken(decision.session)
        case "Pause":
          yield* state.note({ ambiguousSince: decision.ambiguousSince })
          return yield* pause(decision.until - clock, ambiguous(purpose, decision.ambiguousSince))
        case "Fail": {
          const { error } = decision
          return yield* isEnd(error) ? state.end(error, record.session) : error
        }
        case "NeedKey": {
          if (isPaused) return yield* known.pause.error
          const key = yield* keys
          if (key === undefined) {
            const { end, error } = decision
            if (isExplicit) return yield* error
            // A source that has nothing is not asked by every call.
            const until = (yield* uptime) + SessionTiming.pauseFor(timing, undefined)
            yield* state.note({ pause: { until, error: end ?? error } })
            return yield* end === undefined ? error : state.end(end, record.session)
          }
          purpose = { _tag: "Start", key, replaces: isExplicit }
          break
        }
        case "Wait":
          yield* Effect.sleep(look * (yield* Random.nextBetween(0.5, 1)))
          look = Math.min(look * looks.growth, looks.longest)
          break
        case "Send": {
          if (isPaused) return yield* known.pause.error
          if (held !== undefined && known.isDurable && decision.record.session !== stored.record.session) {
            yield* tellBehind(held, stored)
          }
          const refused = Belief.refusalOf(known, decision.secret)
          const token =
            refused === undefined
              ? yield* attempt(purpose, stored, decision)
              : yield* settle(purpose, refused.reading, refused.earlier, stored, leaseIsDead)
          if (token !== undefined) return token
        }
      }
    }
  })
}
