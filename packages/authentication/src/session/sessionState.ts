/** The session state of a process: one value, which the `TokenService` layer keeps in one `Ref`. */
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { Failure } from "@effect-custody/core/RetryPolicy"
import type { AccessToken, SessionEvent, SessionStatus } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Schedule from "effect/Schedule"
import type { Refusal } from "../endpoint/tokenEndpoint.ts"
import { uptime } from "../store/clock.ts"
import type { EndReason, Identity } from "../store/record.ts"
import type { RecordStore } from "../store/recordStore.ts"
import { type Key, sameSecret } from "../endpoint/records.ts"
import { type Intent, pairId, type Session, type SessionRecord } from "../store/Session.ts"
import type * as SessionTiming from "./SessionTiming.ts"

export interface SessionState {
  /** The session that calls use. */
  readonly session: Session | undefined
  /** `true` if the store is known to have the session. */
  readonly isDurable: boolean
  /** The monotonic time (`uptime`) at which calls began to use the session. */
  readonly usedSince: number | undefined
  /** `true` if the service refuses the access token with a 401, and the store has no newer session. */
  readonly isRefused: boolean
  /** `true` if an API key is configured that, according to the loaded records, was never sent. */
  readonly hasUnusedKey: boolean
  /** The number of consecutive sessions, including this one, whose access token the service has never accepted. */
  readonly unaccepted: number
  readonly end: EndReason | undefined
  /** The time since which the outcome of the session's refresh is unknown. */
  readonly ambiguousSince: number | undefined
  readonly pause: Pause | undefined

  /** The secrets of earlier sessions, the latest last. They no longer work, but are still redacted. */
  readonly replacedSecrets: ReadonlyArray<Redacted.Redacted>
  readonly watch: Watch

  /** The running rotation, for callers to join. */
  readonly rotation: Deferred.Deferred<AccessToken, SessionError> | undefined
  /** The record of a new session that the store does not have yet. */
  readonly unstored: SessionRecord | undefined
  /** The marks of API keys ("sent") in the record that are wrong, because the keys were certainly not sent. */
  readonly unsent: ReadonlyArray<string>
  /** The secrets that this process has sent, oldest first, except secrets that were certainly not used. */
  readonly sent: ReadonlyArray<SentSecret>
  /** An API key that was read from the key source and that this process has certainly not spent. */
  readonly cachedKey: Key | undefined
}

/** What this process remembers of a secret that it has sent, even if the store forgets. */
interface SentSecret {
  readonly secret: Redacted.Redacted
  /** The time of the first send. */
  readonly at: number
  /** The mark in the record, if the secret is an API key. */
  readonly mark: string | undefined
  /** The service's refusal of a refresh token, and the intent of an earlier send, if there was one. */
  readonly refusal?: { readonly response: Refusal; readonly priorIntent: Intent | undefined }
}

/** A pause in which nothing is sent. Until the uptime `until`, callers fail with `error`. */
export interface Pause {
  readonly until: number
  readonly error: SessionError
  /** Gives the wait after the next failure. */
  readonly step: Effect.Success<ReturnType<typeof Schedule.toStep<unknown, Failure, never, never>>>
}

/** How long this process has watched an unchanged record, summed over all calls. */
export interface Watch {
  readonly version: number
  readonly millis: number
}

export const initial: SessionState = {
  session: undefined,
  isDurable: true,
  usedSince: undefined,
  isRefused: false,
  hasUnusedKey: false,
  unaccepted: 0,
  end: undefined,
  ambiguousSince: undefined,
  pause: undefined,
  replacedSecrets: [],
  watch: { version: 0, millis: 0 },
  rotation: undefined,
  unstored: undefined,
  unsent: [],
  cachedKey: undefined,
  sent: []
}

const maxRemembered = 64

export const addSent =
  (secret: SentSecret) =>
  ({ sent }: SessionState): Partial<SessionState> => ({
    sent: sent.some((one) => sameSecret(one.secret, secret.secret)) ? sent : [...sent.slice(1 - maxRemembered), secret]
  })

export const addRefusal =
  (secret: Redacted.Redacted, refusal: SentSecret["refusal"] & {}) =>
  ({ sent }: SessionState): Partial<SessionState> => ({
    sent: sent.map((one) => (sameSecret(one.secret, secret) ? { ...one, refusal } : one))
  })

/** `undefined` if this process has never sent the secret, or if the secret was certainly not used. */
export const findSent = (
  { sent }: Pick<SessionState, "sent">,
  secret: Redacted.Redacted | undefined
): SentSecret | undefined => sent.find((one) => sameSecret(one.secret, secret))

/** Adds the marks of the API keys that this process has sent, because the store may have lost them. */
export const withMarks = (record: SessionRecord, { sent }: Pick<SessionState, "sent">): SessionRecord => {
  const { spentKeys } = record
  const forgotten = sent.flatMap(({ mark }) => (mark === undefined || spentKeys.includes(mark) ? [] : [mark]))
  return forgotten.length === 0 ? record : { ...record, spentKeys: [...spentKeys, ...forgotten] }
}

export const liveSession = ({ end, session }: SessionState): Session | undefined =>
  end === undefined ? session : undefined

export const accessToken = ({ accessToken: value, generation }: Session): AccessToken => ({ value, generation })

export const currentToken = (state: SessionState): AccessToken | undefined => {
  const session = liveSession(state)
  return session === undefined ? undefined : accessToken(session)
}

/** The maximum number of replaced secrets: two for each of four sessions. */
const maxReplacedSecrets = 8

/** The changes to the state when calls begin to use a session. */
export const inUse =
  (session: Session, isDurable: boolean, usedSince: number) =>
  ({ replacedSecrets, session: before, unaccepted }: SessionState): Partial<SessionState> => {
    const replaced = before === undefined ? [] : [before.accessToken, before.refreshToken]
    return {
      session,
      isDurable,
      usedSince,
      isRefused: false,
      unaccepted: unaccepted + 1,
      end: undefined,
      ambiguousSince: undefined,
      pause: undefined,
      replacedSecrets: [...new Set([...replacedSecrets, ...replaced])].slice(-maxReplacedSecrets)
    }
  }

export const secrets =
  (apiKey: Redacted.Redacted | undefined) =>
  ({ cachedKey, replacedSecrets, sent, session }: SessionState): ReadonlyArray<Redacted.Redacted> => {
    const inUse = [apiKey, cachedKey?.apiKey, session?.accessToken, session?.refreshToken]
    const known = [...inUse, ...replacedSecrets, ...sent.map(({ secret }) => secret)]
    return [...new Set(known.filter((one) => one !== undefined))]
  }

const statusName = (state: SessionState): SessionStatus["state"] => {
  if (state.end !== undefined) return "lost"
  if (state.session === undefined) return "none"
  if (!state.isDurable) return "unpersisted"
  if (state.rotation !== undefined) return "rotating"
  if (state.isRefused) return "refused"
  return state.ambiguousSince === undefined ? "serving" : "ambiguous"
}

export const status =
  (identity: string) =>
  (state: SessionState): SessionStatus => ({
    identity,
    state: statusName(state),
    generation: Option.map(Option.fromUndefinedOr(state.session), ({ generation }) => generation),
    expiresAt: Option.map(Option.fromUndefinedOr(state.session?.expiresAt), DateTime.makeUnsafe),
    vaultId: Option.fromUndefinedOr(state.session?.vaultId),
    hasUnusedKey: state.hasUnusedKey
  })

interface StateAccess extends ReturnType<typeof access> {}

/** The parts that the modules of one session share. */
export interface Parts {
  readonly identity: Identity
  readonly timing: SessionTiming.SessionTiming
  readonly owner: string
  readonly state: StateAccess
  readonly store: RecordStore
}

/** Reads and changes the state, and publishes the event of a change. */
export const access = (options: {
  readonly ref: Ref.Ref<SessionState>
  readonly receivers: ReadonlySet<(event: SessionEvent) => void>
  readonly observe: (event: SessionEvent) => Effect.Effect<void>
}) => {
  const { observe, receivers, ref } = options
  const get = Ref.get(ref)

  const update = (changes: Partial<SessionState> | ((state: SessionState) => Partial<SessionState>)) =>
    Ref.update(ref, (state) => ({
      ...state,
      ...(typeof changes === "function" ? changes(state) : changes)
    }))

  const publish = (event: SessionEvent) =>
    Effect.andThen(
      Effect.sync(() => {
        for (const receive of receivers) receive(event)
      }),
      observe(event)
    )

  const accepted = ({ value }: AccessToken): void => {
    const { isRefused, session, unaccepted } = Ref.getUnsafe(ref)
    if ((unaccepted === 0 && !isRefused) || session?.accessToken !== value) return
    MutableRef.update(ref.ref, (state) => ({ ...state, unaccepted: 0, isRefused: false }))
  }

  const use = Effect.fnUntraced(function* (session: Session, isDurable: boolean, event: SessionEvent) {
    // `usedSince` is the uptime now. It is not computed from `obtainedAt`, because another process may have written
    // `obtainedAt` by a clock that is hours off.
    yield* update(inUse(session, isDurable, yield* uptime))
    yield* publish(event)
    return accessToken(session)
  })

  /** Uses a session from the store, unless calls already use it. */
  const adopt = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<AccessToken> {
    const current = liveSession(yield* get)
    const isCurrent =
      current !== undefined &&
      pairId(current) === pairId(session) &&
      sameSecret(current.accessToken, session.accessToken)
    return isCurrent
      ? accessToken(current)
      : yield* use(session, true, { _tag: "Adopted", generation: session.generation })
  })

  /** Ends the session and fails with the reason. Publishes the event `Lost` once. */
  const end = Effect.fnUntraced(function* (reason: EndReason) {
    const { end: known } = yield* get
    yield* update({ end: reason })
    if (known === undefined) yield* OperatorLog.report("session.lost", reason.message)
    if (reason._tag === "SessionLost" && known === undefined) {
      yield* publish({ _tag: "Lost", generation: reason.generation })
    }
    return yield* reason
  })

  return { get, update, publish, accepted, use, adopt, end }
}
