/**
 * What can be said to an emulator: where its secrets come from, how long things take, and how it behaves where the
 * specification does not say how the service does.
 *
 * Specification: "Limits" ("Access token lifetime as a fixed duration: not shown"), "Common error codes" ("Which set a
 * given response carries: not shown").
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Snapshot } from "./Snapshot.ts"

/** How the emulator behaves where the specification leaves it open. */
export const Quirks = Schema.Struct({
  /** Whether an access token goes on being accepted, until its expiry, after a rotation gave a newer one. Default: yes. */
  oldAccessTokenOutlivesRotation: Schema.Boolean,
  /**
   * For how long after a rotation the refresh token that it spent gets the same answer again. Default: not at all.
   */
  refreshReuseGrace: Schema.Duration,
  /** Whether the reuse of a dead refresh token revokes the whole session. Default: yes. */
  reuseRevokesSession: Schema.Boolean,
  /** How long it takes until a new access token is accepted; a 401 before. Default: at once. */
  accessTokenActivation: Schema.Duration,
  /** The code of a missing or invalid access token. Default: the common one. */
  invalidAccessTokenCode: Schema.Literals(["E40001", "E01401"]),
  /** The code of an expired access token. Default: the common one. */
  tokenExpiredCode: Schema.Literals(["E40003", "E01403"]),
  /** The code of a dead or unknown refresh token. Default: the one that the specification gives the endpoint. */
  invalidRefreshTokenCode: Schema.Literals(["E01402", "E40002"]),
  /** Whether the answer to a created client has it under `client`, not under `data`, and several under `clients`. */
  createdClientsUnderOwnName: Schema.Boolean,
  /**
   * How the errors of endpoints look, those of tokens excepted. Default: `Specified`. `Bare`: status and message alone.
   * `WithoutSummary`: no `errors.message`. `PlainFields`: a string per field in place of an array. `ObjectFields`: an
   * array of objects per field.
   */
  errorBodies: Schema.Literals(["Specified", "Bare", "WithoutSummary", "PlainFields", "ObjectFields"]),
  /** Whether amounts are JSON numbers, with every digit, in place of strings. */
  amountsAsNumbers: Schema.Boolean,
  /** Whether counts are strings in place of numbers. */
  countsAsStrings: Schema.Boolean,
  /** Whether the identifiers that the service gives are JSON numbers in place of strings. */
  idsAsNumbers: Schema.Boolean,
  /** Whether lists come without `meta`. */
  listsWithoutMeta: Schema.Boolean,
  /** Whether dates are written as `20 August, 2025 11:18:53` in place of ISO 8601. */
  writtenDates: Schema.Boolean
})
export interface Quirks extends Schema.Schema.Type<typeof Quirks> {}

/** A wait that ends. */
const Wait = Schema.Duration.pipe(
  Schema.check(
    Schema.makeFilter((duration) => Duration.isFinite(duration) && !Duration.isNegative(duration), {
      message: "must be a finite duration, and not a negative one"
    })
  )
)

/** How long things take. All of it is told by the Clock when somebody asks: nothing runs in the background. */
export const Durations = Schema.Struct({
  /** How long a send is `PENDING`. Default: 1 second. */
  pendingFor: Wait,
  /** How long it is `BROADCASTING` after that. Default: 4 seconds. */
  broadcastingFor: Wait,
  /** How long a transfer between clients, or of an NFT, is `PENDING`. Default: not at all. */
  transferringFor: Wait,
  /** After how long a fiat payment link that nobody paid is `EXPIRED`. Default: 1 day. */
  paymentLinksExpireAfter: Wait,
  /** How long every answer is on its way. Default: not at all. */
  latency: Wait
})
export interface Durations extends Schema.Schema.Type<typeof Durations> {}

/** Everything an emulator is made with. */
export const Settings = Schema.Struct({
  /** Every key, token and identifier follows from it. Give each of several emulators its own. */
  seed: Schema.Int,
  /** How long an access token lives. */
  tokenLifetime: Schema.Duration.pipe(
    Schema.check(
      Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration), {
        message: "must be a positive, finite duration"
      })
    )
  ),
  /** How many of the newest requests are kept for `received`. Counts are kept of all. */
  journalLimit: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))),
  durations: Durations,
  quirks: Quirks
})
export interface Settings extends Schema.Schema.Type<typeof Settings> {}

/** {@link Quirks} as they may be given: in part, and durations in any form. */
export type QuirksInput = {
  readonly [K in keyof Quirks]?: (Quirks[K] extends Duration.Duration ? Duration.Input : Quirks[K]) | undefined
}

/** {@link Durations} as they may be given: in part, and in any form. */
export type DurationsInput = { readonly [K in keyof Durations]?: Duration.Input | undefined }

/** {@link Settings} as they may be given. Everything has a default. */
export interface Options {
  /** Default: 1. */
  readonly seed?: number | undefined
  /** Default: 15 minutes. */
  readonly tokenLifetime?: Duration.Input | undefined
  /** Default: 100,000. */
  readonly journalLimit?: number | undefined
  readonly durations?: DurationsInput | undefined
  readonly quirks?: QuirksInput | undefined
  /** What another emulator knew: this one goes on from it, under its settings but for those that are given here. */
  readonly snapshot?: Snapshot | undefined
}

const defaultQuirks: Quirks = {
  oldAccessTokenOutlivesRotation: true,
  refreshReuseGrace: Duration.zero,
  reuseRevokesSession: true,
  accessTokenActivation: Duration.zero,
  invalidAccessTokenCode: "E40001",
  tokenExpiredCode: "E40003",
  invalidRefreshTokenCode: "E01402",
  createdClientsUnderOwnName: false,
  errorBodies: "Specified",
  amountsAsNumbers: false,
  countsAsStrings: false,
  idsAsNumbers: false,
  listsWithoutMeta: false,
  writtenDates: false
}

const defaultDurations: Durations = {
  pendingFor: Duration.seconds(1),
  broadcastingFor: Duration.seconds(4),
  transferringFor: Duration.zero,
  paymentLinksExpireAfter: Duration.days(1),
  latency: Duration.zero
}

/** What holds where nothing is said. */
export const defaults: Settings = {
  seed: 1,
  tokenLifetime: Duration.minutes(15),
  journalLimit: 100_000,
  durations: defaultDurations,
  quirks: defaultQuirks
}

/** A duration in any form, or the thing itself for the schema to refuse. */
const durationOf = (input: unknown): unknown =>
  Option.getOrElse(Duration.fromInput(input as Duration.Input), () => input)

const given = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, durationNames.has(name) ? durationOf(value) : value])
  )

const durationNames: ReadonlySet<string> = new Set([
  "tokenLifetime",
  "refreshReuseGrace",
  "accessTokenActivation",
  ...Object.keys(defaultDurations)
])

const decode = Schema.decodeUnknownResult(Schema.toType(Settings), { onExcessProperty: "error" })

/** Settings that differ from `base` in what is given, or what is wrong with it. */
export const settle = (base: Settings, options: Options): Result.Result<Settings, ConfigurationInvalid> =>
  Result.mapError(
    decode({
      ...given(base),
      ...given(options),
      durations: { ...given(base.durations), ...given(options.durations ?? {}) },
      quirks: { ...given(base.quirks), ...given(options.quirks ?? {}) }
    }),
    (error) => new ConfigurationInvalid({ option: "emulator", reason: error.message })
  )
