/**
 * The settings of an emulator: its seed, its durations, and its behaviour where the specification is silent.
 *
 * Specification: "Limits" ("Access token lifetime as a fixed duration: not shown"), "Common error codes" ("Which set a
 * given response carries: not shown").
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/**
 * The emulator's behaviour where the specification is silent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Quirks = Schema.Struct({
  /** `true` (default): an access token stays valid until it expires, even after a rotation. */
  oldAccessTokenOutlivesRotation: Schema.Boolean,
  /** The time after a rotation during which the spent refresh token gets the same answer again. Default: 0. */
  refreshReuseGrace: Schema.Duration,
  /** `true` (default): using a spent refresh token after `refreshReuseGrace` revokes the session. */
  reuseRevokesSession: Schema.Boolean,
  /** The time during which a new access token is still refused with 401. Default: 0. */
  accessTokenActivation: Schema.Duration,
  /** The error code for a missing or invalid access token. Default: the common code. */
  invalidAccessTokenCode: Schema.Literals(["E40001", "E01401"]),
  /** The error code for an expired access token. Default: the common code. */
  tokenExpiredCode: Schema.Literals(["E40003", "E01403"]),
  /** The error code for a spent or unknown refresh token. Default: the endpoint's own code, by the specification. */
  invalidRefreshTokenCode: Schema.Literals(["E01402", "E40002"]),
  /**
   * `true`: an error body has only the status and the message, except for 401 and 498. So a client cannot tell a 404 of
   * the service from a 404 of a proxy.
   */
  bareErrors: Schema.Boolean
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Quirks extends Schema.Schema.Type<typeof Quirks> {}

const FiniteDuration = Schema.Duration.pipe(
  Schema.check(
    Schema.makeFilter((duration) => Duration.isFinite(duration) && !Duration.isNegative(duration), {
      message: "must be a finite duration, and not a negative one"
    })
  )
)

/**
 * Durations. The emulator computes a status from the `Clock` when a request needs it. Nothing runs in the background.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Durations = Schema.Struct({
  /** The time for which a send is `PENDING`. Default: 1 second. */
  pendingFor: FiniteDuration,
  /** The time for which a send is `BROADCASTING`, after it was `PENDING`. Default: 4 seconds. */
  broadcastingFor: FiniteDuration,
  /** The time for which a transfer between clients, or a transfer of an NFT, is `PENDING`. Default: 0. */
  transferringFor: FiniteDuration,
  /** The time after which an unpaid fiat payment link is `EXPIRED`. Default: 1 day. */
  paymentLinksExpireAfter: FiniteDuration,
  /** The delay of every answer. Default: 0. */
  latency: FiniteDuration
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Durations extends Schema.Schema.Type<typeof Durations> {}

/**
 * All settings of an emulator.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Settings = Schema.Struct({
  /** The seed that keys, tokens and addresses derive from. Emulators that run side by side need different seeds. */
  seed: Schema.Int,
  /** The lifetime of access tokens. */
  tokenLifetime: Schema.Duration.pipe(
    Schema.check(
      Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration), {
        message: "must be a positive, finite duration"
      })
    )
  ),
  /** The type of every vault: `SEGREGATED` (default) or `CONSOLIDATED`. Answers show it. */
  vaultType: Schema.Literals(["SEGREGATED", "CONSOLIDATED"]),
  durations: Durations,
  quirks: Quirks
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Settings extends Schema.Schema.Type<typeof Settings> {}
