/**
 * What a process knows of its session: one value, which the `TokenService` layer keeps in one `Ref`. And what it shows of
 * it: status, events and telemetry.
 */
import type { Failure } from "@effect-custody/core/RetryPolicy"
import type { SessionError } from "@effect-custody/core/SessionError"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import type { AccessToken, SessionEvent, SessionStatus } from "@effect-custody/core/TokenService"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Schedule from "effect/Schedule"
import { endReason, type EndReason, type Identity, refreshIntent, type Watch } from "./record.ts"
import type { RecordStore } from "./recordStore.ts"
import { apiKeyRule, isApiKey, type Key, sameSecret, withFingerprint } from "./secrets.ts"
import { type Intent, isSpent, pairId, type Session, type SessionRecord } from "./Session.ts"
import type { ApiKeySource, SessionTiming } from "./SessionOptions.ts"
import type { Refusal } from "./tokenEndpoint.ts"

/** The log lines of sessions. */
export const lines = {
  "session.lost": {
    level: "Error",
    event: "The session has ended",
    action:
      "find out what else used its tokens, then start a process with a new API key; the others adopt the new session"
  },
  "session.refused": {
    level: "Warn",
    event: "The service refuses the access token of the stored session, which has not expired",
    action:
      "if it was revoked, or the service is a new one, start another session with an unused API key: TokenService.start or, for a session file, custody session start --replace"
  },
  "session.not_started": {
    level: "Warn",
    event: "A session could not be started; the start is repeated",
    action: "check the address and whether the service can be reached; the API key was not used"
  },
  "session.not_stored": {
    level: "Warn",
    event: "New tokens could not be stored, and are used from memory",
    action: "fix the store (disk space, permissions, database) before the process ends; the write is repeated"
  },
  "session.dropped": {
    level: "Error",
    event: "The process ends, and the newest tokens are not stored",
    action: "fix the store; if the session does not continue, start a process with a new API key"
  },
  "session.not_released": {
    level: "Warn",
    event: "The end of a refresh could not be written to the store",
    action: "fix the store; until the lease has expired, no process refreshes"
  }
} as const satisfies Record<string, OperatorLog.Line>

export const report = OperatorLog.reporter(lines)

/** Milliseconds on a monotonic clock. Changes of the time of day do not affect it. */
export const readUptime = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

export const uptime: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => readUptime(clock)))

/** Whole milliseconds since the Unix epoch, as records keep times. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeMillis, Math.floor)

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

  /** The result of the running rotation. `isShared`: callers wait for it; otherwise it is one caller's start. */
  readonly rotation:
    | { readonly result: Deferred.Deferred<AccessToken, SessionError>; readonly isShared: boolean }
    | undefined
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

/** `true` if the token belongs to the session. If no token is given, only the generations are compared. */
export const hasToken = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

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
  if (state.rotation?.isShared === true) return "rotating"
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
  readonly timing: SessionTiming
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

  /** Uses the session of the record that the layer loads when it is built. */
  const begin = Effect.fnUntraced(function* (identity: Identity, record: SessionRecord) {
    const { session } = record
    if (session === undefined) return
    const intent = refreshIntent(record, session)
    yield* update({
      session,
      usedSince: (yield* uptime) - Math.max(0, (yield* now) - session.obtainedAt),
      end: endReason(identity, record),
      ambiguousSince: intent?.ambiguous === true ? intent.since : undefined
    })
  })

  /** Ends the session and fails with the reason. Publishes the event `Lost` once. */
  const end = Effect.fnUntraced(function* (reason: EndReason) {
    const { end: known } = yield* get
    yield* update({ end: reason })
    if (known === undefined) yield* report("session.lost", reason.message)
    if (reason._tag === "SessionLost" && known === undefined) {
      yield* publish({ _tag: "Lost", generation: reason.generation })
    }
    return yield* reason
  })

  return { get, update, publish, accepted, use, adopt, begin, end }
}

export type Candidate = Effect.Effect<Key | undefined>

export interface ApiKeys extends ReturnType<typeof apiKeys> {}

/** The API keys that can start a session, in the order in which they are tried. */
export const apiKeys = ({ identity, state }: Parts, apiKey: Redacted.Redacted | undefined, source: ApiKeySource) => {
  const configured: Candidate = Effect.sync(() => (apiKey === undefined ? undefined : withFingerprint(apiKey)))

  /** Fetches a key from the source, and caches the key until it is sent. */
  const fetched: Candidate = Effect.suspend(() => source.next(identity.name)).pipe(
    Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.succeedNone }),
    Effect.filterOrFail(Option.match({ onNone: () => true, onSome: isApiKey }), () => new Error(apiKeyRule)),
    Effect.catchCause((cause) =>
      Effect.as(
        OperatorLog.defect(`${identity.name}: the source of API keys failed`, cause),
        Option.none<Redacted.Redacted>()
      )
    ),
    Effect.map((next) => (Option.isSome(next) ? withFingerprint(next.value) : undefined)),
    Effect.tap((cachedKey) => state.update({ cachedKey }))
  )

  return {
    /** Each candidate is tried only if the earlier candidates cannot be used. */
    candidates: [configured, Effect.map(state.get, ({ cachedKey }) => cachedKey), fetched] as ReadonlyArray<Candidate>,

    /** Updates `hasUnusedKey` from a loaded record. */
    noteUnused: (record: SessionRecord): Effect.Effect<void> =>
      state.update((known) => ({
        hasUnusedKey: apiKey !== undefined && !isSpent(withMarks(record, known), apiKey)
      })),

    /** Forgets a key that was sent, because it must not be used again. */
    spent: (key: Key): Effect.Effect<void> =>
      state.update(({ cachedKey, hasUnusedKey }) => ({
        cachedKey: cachedKey?.fingerprint === key.fingerprint ? undefined : cachedKey,
        hasUnusedKey: hasUnusedKey && !sameSecret(key.apiKey, apiKey)
      }))
  }
}

/** The outcome of a rotation for each event that the rotation publishes. */
const outcomes: Readonly<Record<SessionEvent["_tag"], string | undefined>> = {
  Started: "started",
  Rotated: "rotated",
  Persisted: undefined,
  NotPersisted: "unpersisted",
  Adopted: "adopted",
  RefreshFailed: "failed",
  Ambiguous: "ambiguous",
  Lost: "lost"
}

/** The outcome of the running rotation so far. Not every event has an outcome: this is the latest one. */
const RotationOutcome = Context.Reference<MutableRef.MutableRef<string | undefined> | undefined>(
  "@effect-custody/authentication/sessionState/RotationOutcome",
  { defaultValue: () => undefined }
)

/** Reports a session to its operators: spans, durations, gauges and counts. */
export const telemetry = Effect.fnUntraced(function* (options: {
  readonly identity: string
  readonly listener: Instrumentation.Listener | undefined
  readonly ref: Ref.Ref<SessionState>
}) {
  const { identity, listener, ref } = options

  if (listener !== undefined) {
    // Report a zero for each event, because monitoring sees the first increase only if there was a zero before.
    for (const event of Object.keys(outcomes)) listener.sessionEvent(event, 0)
    yield* listener.showSession(() => {
      const now = Ref.getUnsafe(ref)
      return {
        state: status(identity)(now).state,
        generation: now.session?.generation,
        obtainedAt: now.session?.obtainedAt,
        isStored: now.isDurable
      }
    })
  }

  return {
    /** Counts an event. */
    observe: ({ _tag }: SessionEvent): Effect.Effect<void> =>
      Effect.withFiber((fiber) => {
        listener?.sessionEvent(_tag)
        const outcome = outcomes[_tag]
        const seen = fiber.getRef(RotationOutcome)
        if (seen !== undefined && outcome !== undefined) MutableRef.set(seen, outcome)
        return Effect.void
      }),

    /** Follows a rotation of the session of this generation; `undefined`: a start. */
    follow: (
      generation: number | undefined,
      rotation: Effect.Effect<AccessToken, SessionError>
    ): Effect.Effect<AccessToken, SessionError> =>
      Effect.withFiber((fiber) => {
        if (listener === undefined && !Instrumentation.isTraced(fiber)) return rotation
        const clock = fiber.getRef(Clock.Clock)
        const began = clock.monotonicTimeNanosUnsafe()
        const seen = MutableRef.make<string | undefined>(undefined)
        const ended = (exit: Exit.Exit<AccessToken, SessionError>): Instrumentation.SpanEnd => {
          const outcome = MutableRef.get(seen)
          const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
          if (outcome !== undefined) listener?.rotationEnded(outcome, seconds)
          const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
          const failure = Exit.isSuccess(exit) ? undefined : (error?._tag ?? "Defect")
          return {
            attributes: {
              "custody.outcome": outcome ?? (failure === undefined ? "unneeded" : "not_sent"),
              "custody.generation": Exit.isSuccess(exit) ? exit.value.generation : undefined,
              "error.type": failure
            },
            failure
          }
        }
        const followed = Effect.provideService(rotation, RotationOutcome, seen)
        const attributes = { "custody.session.identity": identity, "custody.generation.before": generation }
        const name = generation === undefined ? "custody.session.start" : "custody.session.rotate"
        return Instrumentation.followSpan(followed, name, { kind: "internal", attributes }, ended)
      })
  }
})
