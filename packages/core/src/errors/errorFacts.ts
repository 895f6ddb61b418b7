/**
 * What each error of a call means for whoever gets it: one record for each tag. All that the SDK says about errors
 * derives from this table: `isRetryable`, `Outcome.httpStatus`, `Outcome.of`, the label of a span, the session's pauses,
 * and what a ledger does next. Pure.
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { isDoubtful } from "../answer/Answer.ts"
import * as ApiError from "./ApiError.ts"
import * as Sdk from "./SdkError.ts"
import * as Session from "./SessionError.ts"

/** The facts about an error. */
export interface Facts {
  /** `No`: the call certainly did nothing. */
  readonly happened: "No" | "Maybe"
  /** `true` if the same call may be made again, and may then succeed. */
  readonly again: boolean
  /** The HTTP status with which a backend answers its own caller. */
  readonly http: number
  /** The label of spans and metrics: see `CallOutcome`. */
  readonly label:
    | "invalid"
    | "no_token"
    | "not_sent"
    | "refused"
    | "throttled"
    | "unanswered"
    | "uncertain"
    | "unconfirmed"
    | "unreadable"
  /**
   * What the error is about: this order, which was refused or never valid; every call of the client, until a person
   * mends the session or the contract; or only this moment.
   */
  readonly about: "order" | "client" | "moment"
  /** When the session may have a token; `undefined` if no wait helps. A call waits within its deadline and policy. */
  readonly pausedUntil?: DateTime.Utc | undefined
}

const ofStatus = (status = 0): Facts["label"] =>
  status === 429 ? "throttled" : isDoubtful(status) ? "unanswered" : "refused"

/** The service answered with an error, and did nothing. */
const answered = <A extends Facts["about"]>(http: number, about: A) =>
  ({ happened: "No", again: false, http, label: ofStatus, about }) as const

/** There is no token for the call, and the SDK sent nothing. */
const noToken = { happened: "No", again: false, http: 503, label: "no_token", about: "client" } as const
const noTokenYet = { ...noToken, again: true, about: "moment" } as const

const notSent = { happened: "No", again: true, http: 503, label: "not_sent", about: "moment" } as const

/** The answer has no meaning of its own, so the status decides. */
const unnamed = ({ status }: ApiError.ErrorAnswer) =>
  ({ ...answered(status >= 400 && status < 500 ? 422 : 502, "order") }) as const

/** A record, with the label that the status of the answer gives, or a function if further fields of the error decide. */
const table = {
  // The service's answers.
  BadRequest: answered(400, "order"),
  NotFound: answered(404, "order"),
  ValidationFailed: answered(422, "order"),
  InvalidAccessToken: answered(503, "client"),
  InvalidRefreshToken: answered(503, "moment"),
  InvalidApiKey: answered(503, "moment"),
  TokenExpired: answered(503, "moment"),
  RateLimited: { ...answered(503, "moment"), again: true },
  // Only a read, or a request for tokens, ends with an answer that is not the service's own: a change is unknown then.
  OtherApiError: (error: ApiError.OtherApiError) => {
    const again = error.status === 408 || error.status >= 500
    if (!again && !error.isForeign) return unnamed(error)
    return { ...answered(502, "moment"), again, label: "unanswered" } as const
  },
  // The SDK's own.
  ConfigurationInvalid: { happened: "No", again: false, http: 500, label: "invalid", about: "client" },
  InputInvalid: { happened: "No", again: false, http: 400, label: "invalid", about: "order" },
  UnconfirmedEndpoint: { happened: "No", again: false, http: 501, label: "unconfirmed", about: "client" },
  NotSent: notSent,
  TransportError: ({ phase }: Sdk.TransportError) => ({
    ...notSent,
    happened: "Maybe" as const,
    ...(phase === "NotSent" ? {} : { http: 502, label: "unanswered" as const })
  }),
  UnexpectedResponse: { happened: "Maybe", again: true, http: 502, label: "unreadable", about: "moment" },
  OutcomeUnknown: { happened: "Maybe", again: false, http: 202, label: "uncertain", about: "moment" },
  // The session's.
  NoSession: noToken,
  SessionLost: noToken,
  StoredSessionInvalid: noToken,
  SessionOfAnotherEnvironment: noToken,
  SessionAmbiguous: ({ retryAt }: Session.SessionAmbiguous) => ({ ...noTokenYet, pausedUntil: retryAt }),
  TokenStoreError: ({ retryAt }: Session.TokenStoreError) => ({ ...noTokenYet, pausedUntil: retryAt }),
  // A wait helps neither a rejection, nor a closing client, nor the start of a session, whose address may be wrong.
  RefreshUnavailable: ({ isStart, phase, retryAt }: Session.RefreshUnavailable) => {
    const again = phase === "NotSent" || phase === "Throttled"
    return { ...noTokenYet, again, pausedUntil: again && isStart !== true ? retryAt : undefined }
  }
} as const

type Table = typeof table

/** The tag of an error in the table. */
export type Tag = keyof Table

/** The tags of the errors that are about the order, the client or the moment. */
export type TagAbout<W extends Facts["about"]> = {
  [T in Tag]: Table[T] extends { readonly about: W } ? T : never
}[Tag]

/** Any error in the table. */
export type Known = ApiError.ApiError | Sdk.SdkError | Sdk.ConfigurationInvalid | Session.SessionError

const isSdkError = Schema.is(
  Schema.Union([
    Sdk.ConfigurationInvalid,
    Sdk.InputInvalid,
    Sdk.UnconfirmedEndpoint,
    Sdk.NotSent,
    Sdk.TransportError,
    Sdk.UnexpectedResponse,
    Sdk.OutcomeUnknown
  ])
)

type Row = Omit<Facts, "label"> & { readonly label: Facts["label"] | typeof ofStatus }

/** The facts about an error of the SDK. */
export const ofKnown = (error: Known): Facts => {
  // An error class of your own has a tag of its own, or even a tag of the table.
  const entry = Object.hasOwn(table, error._tag) ? table[error._tag] : unnamed
  const row: Row = typeof entry === "function" ? (entry as (error: Known) => Row)(error) : entry
  const { label } = row
  return { ...row, label: typeof label === "function" ? label("status" in error ? error.status : undefined) : label }
}

/** The facts about a value, if it is an error of the SDK. Checks the class, because another error may have the same tag. */
export const of = (error: unknown): Facts | undefined =>
  ApiError.isApiError(error) || Session.isSessionError(error) || isSdkError(error) ? ofKnown(error) : undefined

/**
 * `true` for an error that is about the order (it was refused, or never valid), about every call of the client (until a
 * person mends the session or the contract), or only about this moment. A worker of a queue drops the order, stops, or
 * tries again later.
 *
 * @since 0.1.0
 * @category guards
 */
export const isAbout =
  <W extends Facts["about"]>(about: W) =>
  <E extends { readonly _tag: string }>(error: E): error is Extract<E, { readonly _tag: TagAbout<W> }> =>
    Object.hasOwn(table, error._tag) && ofKnown(error as unknown as Known).about === about
