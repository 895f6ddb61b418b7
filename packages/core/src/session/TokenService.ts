/**
 * The interface of the service that keeps a session, for calls that need a token. The session itself is kept by
 * `TokenService.layer` of `@effect-custody/authentication`, under the same name. A rotation (or refresh) exchanges the
 * refresh token for new tokens.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SessionError } from "../errors/SessionError.ts"

/**
 * An access token and its generation. The first generation is 0. Each rotation and each new start adds one.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccessToken {
  readonly value: Redacted.Redacted
  readonly generation: number
  /** `true` if the token is so new that parts of the service may not accept it yet: after a 401, try it again. */
  readonly isRecent?: boolean
}

/**
 * The states of a session:
 *
 * - `none`: not started; `serving`: calls have a token;
 * - `rotating`: a refresh is under way; calls use the old token while it is valid;
 * - `unpersisted`: calls use the newest tokens from memory, because storing them has failed; the SDK tries to store them
 *   again;
 * - `refused`: the service refuses an access token that has not expired, and the store has no newer one. The session was
 *   revoked, unless the next refresh returns another token;
 * - `ambiguous`: the answer to a rotation was lost;
 * - `lost`: a new API key is needed.
 *
 * @since 0.1.0
 * @category constants
 */
export const sessionStates = ["none", "serving", "rotating", "unpersisted", "refused", "ambiguous", "lost"] as const

/**
 * The state of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionStatus {
  readonly identity: string
  readonly state: (typeof sessionStates)[number]
  readonly generation: Option.Option<number>
  /** When the access token expires, if the service sent a plausible time. */
  readonly expiresAt: Option.Option<DateTime.Utc>
  /** The id of the API key's vault, if the service sent one. According to the specification, the id is an integer. */
  readonly vaultId: Option.Option<number | string>
  /**
   * `true` if a configured API key was never sent. The SDK sends the key after the stored session has ended, or when
   * `start` is called.
   */
  readonly hasUnusedKey: boolean
}

/**
 * Something that happened to a session. No event holds a token.
 *
 * - `Started`: an API key was exchanged for the first tokens.
 * - `Rotated`: this process has rotated the session. `Adopted`: another process has rotated the session, and this process
 *   uses the new tokens.
 * - `NotPersisted`: storing the newest tokens has failed. `Persisted`: the newest tokens are stored now.
 * - `RefreshFailed`: a rotation failed, and the session has not changed.
 * - `Ambiguous`: the answer to a rotation was lost.
 * - `Lost`: a new API key is needed.
 *
 * @since 0.1.0
 * @category models
 */
export type SessionEvent =
  | {
      readonly _tag: "Started" | "Rotated" | "Adopted" | "Persisted" | "Lost"
      readonly generation: number
    }
  | {
      readonly _tag: "NotPersisted" | "RefreshFailed" | "Ambiguous"
      readonly generation: number
      readonly reason: string
    }

/**
 * Gives calls their access token, and replaces an expired token. One refresh runs at a time. The new tokens are stored
 * before they are used.
 *
 * Specification: "Authentication", "Make refresh a single-flight operation".
 *
 * @since 0.1.0
 * @category services
 */
export class TokenService extends Context.Service<
  TokenService,
  {
    /** The newest access token that this process knows. Starts the session if there is none and there is an API key. */
    readonly current: Effect.Effect<AccessToken, SessionError>
    /** Returns the token of `current`; `undefined` if `current` would wait or fail. */
    readonly inUse?: () => AccessToken | undefined
    /**
     * Notes that the service accepted this token. Must be cheap, because the client calls it after every answer that
     * proves acceptance.
     */
    readonly accepted?: (token: AccessToken) => void
    /**
     * Rotates the session after a 498, or joins the rotation under way. Returns a token of a later generation than the
     * rejected token. If a new session was started meanwhile, its token may have the rejected token's generation.
     */
    readonly rotate: (
      rejectedGeneration: number,
      rejected?: Redacted.Redacted
    ) => Effect.Effect<AccessToken, SessionError>
    /**
     * Loads the newest token from the store after a 401, because another process may have rotated the session. Usually
     * sends nothing. But if a rotation of the rejected generation is under way, or its answer was lost, the 401 shows
     * that the rotation took place. Then `reload` replaces the token as after a 498.
     */
    readonly reload: (
      rejectedGeneration: number,
      rejected?: Redacted.Redacted
    ) => Effect.Effect<AccessToken, SessionError>
    /**
     * Exchanges a one-time API key for the first tokens, and stores them before they are used. An unused key replaces
     * the present session. For a key that was sent before, returns the token of the present session.
     */
    readonly start: (apiKey: Redacted.Redacted) => Effect.Effect<AccessToken, SessionError>
    /**
     * Waits until no refresh is under way and the newest tokens are stored, at most as long as a closing client waits.
     * Sends nothing. Interrupting the wait changes nothing.
     */
    readonly awaitStored: Effect.Effect<void>
    /** Every secret of the session that this process knows, including replaced ones. No error repeats them. */
    readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>>
    /** The state of the session that this process knows. Sends nothing. */
    readonly status: Effect.Effect<SessionStatus>
    /**
     * Calls a function with each event until the scope closes. The function must be quick, and not throw.
     * `sessionEvents` gives the events as a stream.
     */
    readonly subscribe: (receive: (event: SessionEvent) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@effect-custody/core/TokenService") {}

/**
 * The events after the subscription. A slow consumer loses the oldest events, and never delays a rotation.
 *
 * @since 0.1.0
 * @category getters
 *
 * @example
 * ```ts
 * import { sessionEvents } from "@effect-custody/core"
 * import { Effect, Stream } from "effect"
 *
 * const watch = sessionEvents.pipe(
 *   Stream.runForEach((event) => Effect.logInfo("session", event))
 * )
 * ```
 */
export const sessionEvents: Stream.Stream<SessionEvent, never, TokenService> = Stream.unwrap(
  Effect.gen(function* () {
    const { subscribe } = yield* TokenService
    const events = yield* Queue.sliding<SessionEvent>(64)
    yield* subscribe((event) => Queue.offerUnsafe(events, event))
    return Stream.fromQueue(events)
  })
)
