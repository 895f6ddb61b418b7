/**
 * The requests that reached an emulator. The records contain no keys or tokens.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The kind, session and generation of the secret that came with a request. The secret cannot be recovered from them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TokenUse = Schema.Struct({
  kind: Schema.Literals(["apiKey", "accessToken", "refreshToken"]),
  /** The number of the secret's session, from 1. Absent if this emulator never issued the secret. */
  session: Schema.optionalKey(Schema.Int),
  /** 0 for the tokens issued for the API key, and one more after each rotation. */
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
  /** The number of the request, from 1, in the order of arrival. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  method: Schema.String,
  /** The path, without the query. */
  path: Schema.String,
  /** The text after the `?`. Absent like `body`, and for the requests of a session. */
  query: Schema.optionalKey(Schema.String),
  /**
   * The body as JSON. Absent if there is none, for the requests of a session, which hold secrets, and for all but the
   * newest 1,000 requests.
   */
  body: Schema.optionalKey(Schema.String),
  /** The operation, such as `vaults.details`. Absent if no operation has this method and path. */
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
  /** The number of requests, by operation and status. `none`: the path is unknown. Status `0`: no answer arrived. */
  byOperation: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Int))
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Counts extends Schema.Schema.Type<typeof Counts> {}

/**
 * A session, as the service records it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionSummary = Schema.Struct({
  /** The number of the session, from 1, in the order in which API keys were exchanged. */
  session: Schema.Int,
  vaultId: Schema.Int,
  /** The number of times that the session was rotated. */
  generation: Schema.Int,
  /** A revoked session accepts no token and cannot be refreshed. */
  revoked: Schema.Boolean,
  /** All times are milliseconds since the Unix epoch. */
  startedAt: Schema.Finite,
  rotatedAt: Schema.Finite,
  /** The time at which the session's newest access token expires. */
  expiresAt: Schema.Finite
})
/**
 * @since 0.1.0
 * @category models
 */
export interface SessionSummary extends Schema.Schema.Type<typeof SessionSummary> {}
