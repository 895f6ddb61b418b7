/** Default settings, and how options override them. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Options } from "./Options.ts"
import { type Durations, type Quirks, Settings } from "./Settings.ts"

const defaultQuirks: Quirks = {
  oldAccessTokenOutlivesRotation: true,
  refreshReuseGrace: Duration.zero,
  reuseRevokesSession: true,
  accessTokenActivation: Duration.zero,
  invalidAccessTokenCode: "E40001",
  tokenExpiredCode: "E40003",
  invalidRefreshTokenCode: "E01402",
  bareErrors: false
}

const defaultDurations: Durations = {
  pendingFor: Duration.seconds(1),
  broadcastingFor: Duration.seconds(4),
  transferringFor: Duration.zero,
  paymentLinksExpireAfter: Duration.days(1),
  latency: Duration.zero
}

export const defaults: Settings = {
  seed: 1,
  tokenLifetime: Duration.minutes(15),
  vaultType: "SEGREGATED",
  durations: defaultDurations,
  quirks: defaultQuirks
}

/** Applies changes to a base, and converts durations from any form. Keeps invalid values; the schema refuses them. */
const applyChanges = (base: object, changes: object = {}): Record<string, unknown> => {
  const current: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    current[name] = Duration.isDuration(current[name])
      ? Option.getOrElse(Duration.fromInput(value), (): unknown => value)
      : value
  }
  return current
}

const decode = Schema.decodeUnknownResult(Schema.toType(Settings), { onExcessProperty: "error" })

/** Overrides `base` with options. Fails if an option is invalid. */
export const override = (base: Settings, options: Options): Result.Result<Settings, ConfigurationInvalid> =>
  Result.mapError(
    decode({
      ...applyChanges(base, options),
      durations: applyChanges(base.durations, options.durations),
      quirks: applyChanges(base.quirks, options.quirks)
    }),
    (error) => new ConfigurationInvalid({ option: "emulator", reason: error.message })
  )
