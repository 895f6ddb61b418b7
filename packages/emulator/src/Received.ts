/**
 * What an emulator says of the requests that reached it. No part of it holds a key or a token.
 */
import * as Schema from "effect/Schema"

/** Which secret came with a request: its place in the history of its session, from which it cannot be recovered. */
export const TokenUse = Schema.Struct({
  kind: Schema.Literals(["apiKey", "accessToken", "refreshToken"]),
  /** The session that the secret belongs to, from 1; absent if this emulator never issued it. */
  session: Schema.optionalKey(Schema.Int),
  /** 0 for the tokens of the API key, one more with each rotation. */
  generation: Schema.optionalKey(Schema.Int)
})
export interface TokenUse extends Schema.Schema.Type<typeof TokenUse> {}

/** One request, as it was received and answered. */
export const Received = Schema.Struct({
  /** From 1, in the order of arrival. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  method: Schema.String,
  /** Without the query. */
  path: Schema.String,
  /** The operation that method and path belong to, such as `vaults.details`; absent if to none. */
  operation: Schema.optionalKey(Schema.String),
  /** The names of the headers that came. */
  headers: Schema.Array(Schema.String),
  token: Schema.optionalKey(TokenUse),
  /** How many milliseconds the service took until its answer was on its way. */
  took: Schema.optionalKey(Schema.Finite),
  /** The status that was answered; absent while there is no answer, or if it was lost on the way. */
  status: Schema.optionalKey(Schema.Int),
  /** The error code that was answered. */
  code: Schema.optionalKey(Schema.String),
  /** The fault that was played on it. */
  fault: Schema.optionalKey(Schema.String)
})
export interface Received extends Schema.Schema.Type<typeof Received> {}

/** Exact counts of everything since the emulator was made. */
export const Counts = Schema.Struct({
  requests: Schema.Int,
  /** How many refresh requests were received. */
  refreshes: Schema.Int,
  /** How many of them rotated a session. */
  rotations: Schema.Int,
  /** Requests by operation and status. `none`: of no operation. Status `0`: no answer arrived. */
  byOperation: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Int))
})
export interface Counts extends Schema.Schema.Type<typeof Counts> {}

/** A session as the service knows it. */
export const SessionSummary = Schema.Struct({
  /** From 1, in the order of the exchange of API keys. */
  session: Schema.Int,
  vaultId: Schema.Int,
  /** How often it was rotated. */
  generation: Schema.Int,
  /** Whether it can still be refreshed. */
  revoked: Schema.Boolean
})
export interface SessionSummary extends Schema.Schema.Type<typeof SessionSummary> {}
