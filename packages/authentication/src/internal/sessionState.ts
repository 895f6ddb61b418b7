/** All session state of a process: one value, kept in one `Ref` by the `TokenService` layer. */
import * as OperatorLog from "@effect-custody/core/unstable/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionEvent, SessionStatus } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import { keyOf, type Session, type SessionRecord } from "../Session.ts"
import { uptime } from "./clock.ts"
import type * as SessionTiming from "../SessionTiming.ts"
import { type EndReason, type Identity, type Key, sameSecret } from "./decision/model.ts"
import { unwatched, type Watch } from "./lease.ts"
import type { RecordStore } from "./recordStore.ts"
import * as SessionMemory from "./sessionMemory.ts"

export interface SessionState extends SessionMemory.SessionMemory {
  /** The session that calls use. */
  readonly session: Session | undefined
  /** Whether the store is known to have it. */
  readonly isDurable: boolean
  /** Since when it is in use, by the uptime. */
  readonly usedSince: number | undefined
  /** Whether the service refuses its access token with a 401, and the store has no newer one. */
  readonly isRefused: boolean
  /** Whether an API key is configured that was never sent, as far as the records that were loaded say. */
  readonly hasUnusedKey: boolean
  /** How many sessions in a row, up to this one, have an access token that the service has never accepted. */
  readonly unaccepted: number
  readonly end: EndReason | undefined
  /** Since when the outcome of its refresh is unknown. */
  readonly ambiguousSince: number | undefined
  readonly pause: Pause | undefined
  /** Consecutive refreshes that were certainly not processed. */
  readonly outage: Outage | undefined

  /** The secrets of the sessions before this one, the latest last. They no longer work, but are still redacted. */
  readonly replacedSecrets: ReadonlyArray<Redacted.Redacted>
  readonly watch: Watch
  /** Whether it was reported that the store holds an older session, and no newer one was seen in it since. */
  readonly isStoreBehind: boolean

  /** The rotation under way, for callers to join. */
  readonly rotation: Deferred.Deferred<AccessToken, SessionError> | undefined
  /** The record of a new session that the store has not taken yet. */
  readonly unstored: SessionRecord | undefined
  /** The marks to withdraw, because their API keys were certainly not sent. */
  readonly unsent: ReadonlyArray<string>
  /** An API key from the source that was not sent. */
  readonly cachedKey: Key | undefined
}

/** Nothing is sent until then, by the uptime; callers fail with the error meanwhile. */
export interface Pause {
  readonly until: number
  readonly error: SessionError
}

/** Attempts in a row that were certainly not processed: when the first failed, and when the last pause ends, by the uptime. */
export interface Outage {
  readonly since: number
  readonly until: number
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
  outage: undefined,
  watch: unwatched,
  isStoreBehind: false,
  rotation: undefined,
  unstored: undefined,
  unsent: [],
  cachedKey: undefined,
  ...SessionMemory.initial
}

export const liveSession = ({ end, session }: SessionState): Session | undefined =>
  end === undefined ? session : undefined

export const accessToken = ({ accessToken: value, generation }: Session): AccessToken => ({ value, generation })

export const inUseNow = (state: SessionState): AccessToken | undefined => {
  const session = liveSession(state)
  return session === undefined ? undefined : accessToken(session)
}

/** How many replaced secrets are remembered: those of four sessions. */
const replacedAtMost = 8

/** The changes when calls begin to use a session. What the service rejected before stays rejected. */
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
      outage: undefined,
      replacedSecrets: [...new Set([...replacedSecrets, ...replaced])].slice(-replacedAtMost)
    }
  }

export const secretsOf =
  (apiKey: Redacted.Redacted | undefined) =>
  ({ cachedKey, replacedSecrets, sent, session }: SessionState): ReadonlyArray<Redacted.Redacted> => {
    const inUse = [apiKey, cachedKey?.apiKey, session?.accessToken, session?.refreshToken]
    const known = [...inUse, ...replacedSecrets, ...sent.map(({ secret }) => secret)]
    return [...new Set(known.filter((one) => one !== undefined))]
  }

const statusOf = (state: SessionState): SessionStatus["state"] => {
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
    state: statusOf(state),
    generation: Option.map(Option.fromUndefinedOr(state.session), ({ generation }) => generation),
    expiresAt: Option.map(Option.fromUndefinedOr(state.session?.expiresAt), DateTime.makeUnsafe),
    vaultId: Option.fromUndefinedOr(state.session?.vaultId),
    hasUnusedKey: state.hasUnusedKey
  })

export interface StateAccess extends ReturnType<typeof access> {}

/** What the modules of one session share. */
export interface Parts {
  readonly identity: Identity
  readonly timing: SessionTiming.SessionTiming
  readonly owner: string
  readonly state: StateAccess
  readonly store: RecordStore
}

/** Reads and changes the state, and publishes the event that belongs to a change. */
export const access = (options: {
  readonly ref: Ref.Ref<SessionState>
  readonly events: PubSub.PubSub<SessionEvent>
  readonly observe: (event: SessionEvent) => Effect.Effect<void>
}) => {
  const { events, observe, ref } = options
  const get = Ref.get(ref)

  const update = (changes: Partial<SessionState> | ((state: SessionState) => Partial<SessionState>)) =>
    Ref.update(ref, (state) => ({
      ...state,
      ...(typeof changes === "function" ? changes(state) : changes)
    }))

  const publish = (event: SessionEvent) => Effect.andThen(PubSub.publish(events, event), observe(event))

  const accepted = ({ value }: AccessToken): void => {
    const { isRefused, session, unaccepted } = Ref.getUnsafe(ref)
    if ((unaccepted === 0 && !isRefused) || session?.accessToken !== value) return
    MutableRef.update(ref.ref, (state) => ({ ...state, unaccepted: 0, isRefused: false }))
  }

  const use = Effect.fnUntraced(function* (session: Session, isDurable: boolean, event: SessionEvent) {
    // Counted from now, not from `obtainedAt`: another process may have written that, with a clock that is hours off.
    yield* update(inUse(session, isDurable, yield* uptime))
    yield* publish(event)
    return accessToken(session)
  })

  /** Uses a session from the store, if it is not the current one. */
  const adopt = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<AccessToken> {
    const current = liveSession(yield* get)
    const isCurrent =
      current !== undefined && keyOf(current) === keyOf(session) && sameSecret(current.accessToken, session.accessToken)
    return isCurrent
      ? accessToken(current)
      : yield* use(session, true, { _tag: "Adopted", generation: session.generation })
  })

  /** Ends a session and fails with the reason. The event is published once. */
  const end = Effect.fnUntraced(function* (reason: EndReason, session: Session | undefined) {
    const { end: known } = yield* get
    yield* update((state) => ({ end: reason, ...SessionMemory.ended(state, session, reason) }))
    if (known === undefined) yield* OperatorLog.report("session.lost", reason.message)
    if (reason._tag === "SessionLost" && known === undefined) {
      yield* publish({ _tag: "Lost", generation: reason.generation })
    }
    return yield* reason
  })

  return { get, update, publish, accepted, use, adopt, end }
}
