/**
 * The types of a rotation's two decisions: before the one-time secret is sent, and after the response. Before a process
 * sends a secret, it writes a claim to the stored record: its lease (which process sends) and its intent (which
 * secret).
 */
import type { NoSession, SessionOfAnotherEnvironment } from "@effect-custody/core/SessionError"
import type * as Redacted from "effect/Redacted"
import type { TokenResponse } from "../endpoint/tokenEndpoint.ts"
import type { LeaseState } from "../session/leaseWatch.ts"
import type { EndReason } from "../store/record.ts"
import type { Key } from "../store/secrets.ts"
import type { Intent, Session, SessionRecord } from "../store/Session.ts"

/** Get an access token newer than the token of `session`. */
export interface Refresh {
  readonly _tag: "Refresh"
  readonly session: Session
  /**
   * `true` if the service has rejected the access token of `session`. If `false`, a refresh token that may be spent is
   * not sent.
   */
  readonly accessTokenRejected: boolean
}

/** Start a session if none is live. Without a key, only adopt a session that another process starts. */
export interface Start {
  readonly _tag: "Start"
  readonly key: Key | undefined
  /** `true` if a key that was never sent may replace an existing session. */
  readonly replaces: boolean
}

export type Purpose = Refresh | Start

export interface Request {
  readonly purpose: Purpose
  readonly owner: string
  /**
   * When this process first sent the secret of `purpose`. `undefined` if never, or if the secret was certainly not
   * spent.
   */
  readonly sentAt: number | undefined
  /** Marks of API keys that this process certainly did not send. The stored record may still list these marks. */
  readonly unsent: ReadonlyArray<string>
  /**
   * The newest session that this process knows. The store may not have this session yet, or may have lost it in a
   * restore.
   */
  readonly local: Session | undefined
  readonly leaseState: LeaseState
  readonly now: number
}

export interface Response {
  readonly purpose: Purpose
  readonly owner: string
  readonly response: TokenResponse
  /** The intent of an earlier send whose outcome is unknown. `undefined` if there was none. */
  readonly priorIntent: Intent | undefined
  readonly now: number
}

export type RequestDecision =
  /** Use the record's session. No secret has to be sent. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Another process holds the lease: load the record again soon. */
  | { readonly _tag: "Wait" }
  /** The holder of the lease is silent: write this record, which challenges the holder, and load the record again. */
  | { readonly _tag: "Challenge"; readonly record: SessionRecord }
  /** Send nothing, because the access token still works, and the refresh token may be spent. */
  | { readonly _tag: "KeepServing"; readonly session: Session; readonly ambiguousSince: number }
  /** An API key that was never sent is needed. `end`: why the stored session cannot continue. */
  | { readonly _tag: "NeedKey"; readonly error: NoSession; readonly end: EndReason | undefined }
  /**
   * Write `record`, which is the claim. If there is a mark, write the record again with the mark. If no other process
   * was faster, send the secret.
   */
  | {
      readonly _tag: "Send"
      readonly record: SessionRecord
      /**
       * The text that marks an API key as about to be sent. Once the mark is stored, the key counts as spent.
       * `undefined` for a refresh token.
       */
      readonly mark: string | undefined
      readonly secret: Redacted.Redacted
      readonly priorIntent: Intent | undefined
    }
  /** Fail; leave the record as it is. */
  | { readonly _tag: "Fail"; readonly error: NoSession | EndReason | SessionOfAnotherEnvironment }

export type ResponseDecision =
  /** Use the record's session, which another process or an operator has stored. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /**
   * Write nothing and load the record again: another process has the lease, or the record's newer session has ended.
   */
  | { readonly _tag: "Defer" }
  /** Store the new session, and only then use it. */
  | { readonly _tag: "Store"; readonly record: SessionRecord; readonly session: Session }
  /** The request did not spend the secret, or its outcome is unknown. Write `record`, if there is one. */
  | {
      readonly _tag: "Release"
      readonly response: Extract<TokenResponse, { readonly _tag: "NotSpent" | "InDoubt" }>
      readonly record: SessionRecord | undefined
      readonly ambiguousSince: number | undefined
    }
  /** Write the record, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord; readonly error: NoSession | EndReason }

/** `true` if a person called `TokenService.start`. Such a start does not wait for a pause to end. */
export const isExplicit = (purpose: Purpose | undefined): boolean => purpose?._tag === "Start" && purpose.replaces

export const getSecret = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey
