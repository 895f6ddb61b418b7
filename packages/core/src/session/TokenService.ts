/**
 * The interface of the service that keeps a session. Its layer is in `@effect-custody/authentication`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { SessionError } from "../errors/SessionError.ts"

/**
 * An access token and its generation: 0 for the first, one more with each rotation and each new start.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccessToken {
  readonly value: Redacted.Redacted
  readonly generation: number
  /** So new that parts of the service may not accept it yet. After a 401 it is worth one more try. */
  readonly isRecent?: boolean
}

/**
 * The states of a session:
 *
 * - `none`: not started; `serving`: calls have a token;
 * - `rotating`: a refresh is under way; calls use the old token while it is valid;
 * - `unpersisted`: calls use the newest tokens from memory, because storing them has failed; it is tried again;
 * - `refused`: the service refuses an access token that has not expired, and the store has no newer one: the session was
 *   revoked, unless the next refresh brings another token;
 * - `ambiguous`: the answer to a rotation was lost;
 * - `lost`: a new API key is needed.
 *
 * @since 0.1.0
 * @category constants
 */
export const sessionStates = ["none", "serving", "rotating", "unpersisted", "refused", "ambiguous", "lost"] as const

/**
 * How a session is.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionStatus {
  readonly identity: string
  readonly state: (typeof sessionStates)[number]
  readonly generation: Option.Option<number>
  /** When the access token expires, if the service gave a credible time. */
  readonly expiresAt: Option.Option<DateTime.Utc>
  /** The vault that the API key belongs to, if the service said so: an integer by the specification. */
  readonly vaultId: Option.Option<number | string>
  /** Whether an API key is configured that was never sent: it is sent once the stored session has ended, or by `start`. */
  readonly hasUnusedKey: boolean
}

/**
 * Something that happened to a session. No event holds a token.
 *
 * - `Started`: an API key was exchanged for the first tokens.
 * - `Rotated`: this process has rotated the session. `Adopted`: another one has, and this one uses its tokens.
 * - `NotPersisted`, `Persisted`: the newest tokens could not be stored yet; now they are.
 * - `RefreshFailed`: a rotation failed, and the session has not changed.
 * - `Ambiguous`: the answer to a rotation was lost.
 * - `Lost`: a new API key is needed.
 * - `StoreBehind`: the store holds an older session than this process. It was restored from a backup, or is a copy.
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
  | { readonly _tag: "StoreBehind"; readonly generation: number; readonly stored: number }

/**
 * Gives calls their access token, and replaces it when it has expired. One refresh runs at a time, and its result is
 * stored before it is used.
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
    /** The token of `current`; `undefined` if `current` would wait or fail. */
    readonly inUse?: () => AccessToken | undefined
    /** Notes that the service has accepted this token. It has to be cheap: each answer that shows it calls this. */
    readonly accepted?: (token: AccessToken) => void
    /**
     * Rotates the session after a 498, or joins the rotation under way. Gives a token of a later generation than the one
     * that was rejected, or of a session of the same number that was started meanwhile and has another token.
     */
    readonly rotate: (
      rejectedGeneration: number,
      rejected?: Redacted.Redacted
    ) => Effect.Effect<AccessToken, SessionError>
    /**
     * Loads the newest token from the store after a 401: another process may have rotated. Sends nothing, except when a
     * rotation of the rejected generation is under way or has lost its answer: the 401 then shows that it took place.
     */
    readonly reload: (
      rejectedGeneration: number,
      rejected?: Redacted.Redacted
    ) => Effect.Effect<AccessToken, SessionError>
    /**
     * Exchanges a one-time API key for the first tokens, and stores them before they are used. An unused key replaces
     * the present session; a key that was sent before gives the present session.
     */
    readonly start: (apiKey: Redacted.Redacted) => Effect.Effect<AccessToken, SessionError>
    /** Every secret of the session that this process knows, replaced ones too. No error repeats them. */
    readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>>
    /** The state of the session as this process knows it. Sends nothing. */
    readonly status: Effect.Effect<SessionStatus>
    /** The events from now on. A slow subscriber loses the oldest ones and never delays a rotation. */
    readonly events: Stream.Stream<SessionEvent>
  }
>()("@effect-custody/core/TokenService") {}
