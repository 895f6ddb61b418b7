/** Default settings, and how options override them. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Durations, type Options, type Quirks, Settings } from "../Options.ts"

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

/** The default settings. */
export const defaults: Settings = {
  seed: 1,
  tokenLifetime: Duration.minutes(15),
  journalLimit: 100_000,
  durations: defaultDurations,
  quirks: defaultQuirks
}

/** Normalizes a duration. Anything else stays as it is, for the schema to refuse. */
const toDuration = (input: unknown): unknown =>
  Option.getOrElse(Duration.fromInput(input as Duration.Input), () => input)

const defined = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, durationNames.has(name) ? toDuration(value) : value])
  )

const durationNames: ReadonlySet<string> = new Set([
  "tokenLifetime",
  "refreshReuseGrace",
  "accessTokenActivation",
  ...Object.keys(defaultDurations)
])

const decode = Schema.decodeUnknownResult(Schema.toType(Settings), { onExcessProperty: "error" })

/** Overrides `base` with the given options. Fails with what is wrong with them. */
export const override = (base: Settings, options: Options): Result.Result<Settings, ConfigurationInvalid> =>
  Result.mapError(
    decode({
      ...defined(base),
      ...defined(options),
      durations: { ...defined(base.durations), ...defined(options.durations ?? {}) },
      quirks: { ...defined(base.quirks), ...defined(options.quirks ?? {}) }
    }),
    (error) => new ConfigurationInvalid({ option: "emulator", reason: error.message })
  )
