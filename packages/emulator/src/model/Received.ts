/**
 * The requests that reached an emulator. Holds no keys and no tokens.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The kind, session and generation of the secret that came with a request. The secret cannot be recovered from it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TokenUse = Schema.Struct({
  kind: Schema.Literals(["apiKey", "accessToken", "refreshToken"]),
  /** The number of its session, from 1. Absent if this emulator never issued the secret. */
  session: Schema.optionalKey(Schema.Int),
  /** 0 for the tokens of the API key, one more with each rotation. */
  generation: Schema.optionalKey(Schema.Int)
})
/**
 * @since 0.1.0
 * @category models
 */
export interface TokenUse extends Schema.Schema.Type<typeof TokenUse> {}

/**
 * One request and its answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Received = Schema.Struct({
  /** From 1, in the order of arrival. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  method: Schema.String,
  /** Without the query. */
  path: Schema.String,
  /** The operation of method and path, such as `vaults.details`. Absent if there is none. */
  operation: Schema.optionalKey(Schema.String),
  /** The names of the request's headers, sorted. */
  headers: Schema.Array(Schema.String),
  token: Schema.optionalKey(TokenUse),
  /** Milliseconds from the request's arrival to its answer. */
  took: Schema.optionalKey(Schema.Finite),
  /** The status of the answer. Absent before the answer, and if the answer was lost. */
  status: Schema.optionalKey(Schema.Int),
  /** The error code of the answer. */
  code: Schema.optionalKey(Schema.String),
  /** The name of the injected fault. */
  fault: Schema.optionalKey(Schema.String)
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Received extends Schema.Schema.Type<typeof Received> {}

/**
 * Exact counts since the emulator was created.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Counts = Schema.Struct({
  requests: Schema.Int,
  /** The number of refresh requests. */
  refreshes: Schema.Int,
  /** The number of refresh requests that rotated a session. */
  rotations: Schema.Int,
  /** Requests by operation and status. Operation `none`: an unknown path. Status `0`: no answer arrived. */
  byOperation: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Int))
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Counts extends Schema.Schema.Type<typeof Counts> {}

/**
 * A session, by the service's records.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionSummary = Schema.Struct({
  /** From 1, in the order in which API keys were exchanged. */
  session: Schema.Int,
  vaultId: Schema.Int,
  /** The number of its rotations. */
  generation: Schema.Int,
  /** A revoked session accepts no token and cannot be refreshed. */
  revoked: Schema.Boolean,
  /** Its times are milliseconds since the Unix epoch. */
  startedAt: Schema.Finite,
  rotatedAt: Schema.Finite,
  /** The expiry of its newest access token. */
  expiresAt: Schema.Finite
})
/**
 * @since 0.1.0
 * @category models
 */
export interface SessionSummary extends Schema.Schema.Type<typeof SessionSummary> {}
