/** The types of a rotation's two decisions: before its secret is sent, and after the answer. */
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
   * `true` if the service has rejected the access token of `session`. While `false`, a refresh token that may already
   * be spent is not sent.
   */
  readonly accessTokenRejected: boolean
}

/** Start a session where there is none. Without a key: only adopt a session that another process starts. */
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
  /** When this process first sent the secret of `purpose`; `undefined` if never, or if it was certainly not used. */
  readonly sentAt: number | undefined
  /** This process's marks on API keys that it certainly did not send. The stored record may still have them. */
  readonly unsent: ReadonlyArray<string>
  /** The newest session that this process knows. The store may not have it yet, or not any more after a restore. */
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
  readonly leaseState: LeaseState
  readonly now: number
}

export type RequestDecision =
  /** Use the record's session, which is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Another process holds the lease: look again soon. */
  | { readonly _tag: "Wait" }
  /** The holder of the lease is silent: write this record, which challenges it, and look again. */
  | { readonly _tag: "Challenge"; readonly record: SessionRecord }
  /** Send nothing, because the access token still works, and the refresh token may be spent. */
  | { readonly _tag: "KeepServing"; readonly session: Session; readonly ambiguousSince: number }
  /** Only an API key that was never sent can help. `end`: why the stored session cannot continue. */
  | { readonly _tag: "NeedKey"; readonly error: NoSession; readonly end: EndReason | undefined }
  /**
   * Write the record, which is the claim. If there is a mark, write the record again with the mark. Then send the
   * secret, if no other process was faster.
   */
  | {
      readonly _tag: "Send"
      readonly record: SessionRecord
      /** Marks an API key as about to be sent. Writing the mark uses up the key. `undefined` for a refresh token. */
      readonly mark: string | undefined
      readonly secret: Redacted.Redacted
      readonly priorIntent: Intent | undefined
    }
  /** Fail; leave the record as it is. */
  | { readonly _tag: "Fail"; readonly error: NoSession | EndReason | SessionOfAnotherEnvironment }

export type ResponseDecision =
  /** Use the session, which is newer. */
  | { readonly _tag: "Adopt"; readonly session: Session }
  /** Write nothing and look again: another process has the lease, or the record's newer session has ended. */
  | { readonly _tag: "Defer" }
  /** Store the new session, and only then use it. */
  | { readonly _tag: "Store"; readonly record: SessionRecord; readonly session: Session }
  /** Write the record, if there is one. The secret was not used up, or its fate is unknown. */
  | {
      readonly _tag: "Release"
      readonly response: Extract<TokenResponse, { readonly _tag: "NotSpent" | "InDoubt" }>
      readonly record: SessionRecord | undefined
      readonly ambiguousSince: number | undefined
    }
  /** Write the record, and fail. */
  | { readonly _tag: "End"; readonly record: SessionRecord; readonly error: NoSession | EndReason }

/** `true` if a person asked for this start. Such a start does not wait for a pause to end. */
export const isExplicit = (purpose: Purpose): boolean => purpose._tag === "Start" && purpose.replaces

export const getSecret = (purpose: Purpose): Redacted.Redacted | undefined =>
  purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey
