/**
 * Who knows the newest access token. The interface only: the layer is `@effect-custody/authentication`'s.
 *
 * Specification: "Authentication", flow and rules a client must observe.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { SessionError } from "./SessionError.ts"

/** An access token and the generation of the session that brought it: 0 at the start, one more with each rotation. */
export interface AccessToken {
  readonly value: Redacted.Redacted
  readonly generation: number
  /** It came so recently that the service may not accept it everywhere yet: after a 401, worth one more try. */
  readonly isSettling?: boolean
}

/** How a session is. */
export interface SessionStatus {
  readonly identity: string
  /**
   * - `none`: not started;
   * - `serving`: calls have a token;
   * - `rotating`: a refresh is under way, and the old token goes on serving while it is valid;
   * - `unpersisted`: the newest tokens serve from memory, and writing them is tried again;
   * - `ambiguous`: the answer to a rotation was lost;
   * - `lost`: a new API key is needed.
   */
  readonly state: "none" | "serving" | "rotating" | "unpersisted" | "ambiguous" | "lost"
  readonly generation: Option.Option<number>
  /** When the access token expires, where the service said so in a way that can be believed. */
  readonly expiresAt: Option.Option<DateTime.Utc>
}

/** What happened to a session. No event holds a token. */
export type SessionEvent =
  | { readonly _tag: "Started"; readonly generation: number }
  | { readonly _tag: "Rotated"; readonly generation: number }
  | { readonly _tag: "Adopted"; readonly generation: number }
  | { readonly _tag: "NotPersisted"; readonly generation: number; readonly reason: string }
  | { readonly _tag: "Persisted"; readonly generation: number }
  | { readonly _tag: "RefreshFailed"; readonly generation: number; readonly reason: string }
  | { readonly _tag: "Ambiguous"; readonly generation: number; readonly reason: string }
  | { readonly _tag: "Lost"; readonly generation: number }
  /** The store holds an older session than this process: it was restored from a backup, or is a copy. */
  | { readonly _tag: "StoreBehind"; readonly generation: number; readonly stored: number }

/**
 * Gives the calls of one session their access token, and replaces it when it has expired: one refresh at a time,
 * stored before it is used.
 */
export class TokenService extends Context.Service<
  TokenService,
  {
    /** The newest access token that this process knows. Starts the session if there is none and a key was given. */
    readonly current: Effect.Effect<AccessToken, SessionError>
    /** A token newer than the generation that was rejected as expired: of the rotation under way, or of a new one. */
    readonly rotate: (rejectedGeneration: number) => Effect.Effect<AccessToken, SessionError>
    /**
     * The newest token in the store, after a 401: another process may have rotated. Sends nothing, unless a rotation of
     * this generation is under way or without an answer: then the 401 says that the access token is dead.
     */
    readonly resync: (rejectedGeneration: number) => Effect.Effect<AccessToken, SessionError>
    /**
     * Exchanges a one-time API key for the first tokens, and stores them before anyone uses them. A key that was never
     * sent replaces a session that is there; one that was, gives that session.
     */
    readonly start: (apiKey: Redacted.Redacted) => Effect.Effect<AccessToken, SessionError>
    readonly status: Effect.Effect<SessionStatus>
    /** What happens from now on. A slow reader loses the oldest events, never delays a rotation. */
    readonly events: Stream.Stream<SessionEvent>
  }
>()("@effect-custody/core/TokenService") {}
