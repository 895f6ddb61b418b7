/**
 * Reads the service from the configuration: from `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and `CUSTODY_ENVIRONMENT`
 * (`production` or `sandbox`), or from `CUSTODY_BASE_URL`, a whole address. If an emulator is at that address,
 * `CUSTODY_ENVIRONMENT=emulator` says so.
 *
 * @since 0.1.0
 */
import * as Environment from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { trimSecret } from "@effect-custody/core/Text"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const organizationVariables = ["CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"] as const

type Variables = Readonly<Record<"CUSTODY_BASE_URL" | (typeof organizationVariables)[number], string | undefined>>

const optional = (name: string): Config.Config<string | undefined> =>
  Config.map(Config.withDefault(Config.String(name), ""), (text) => (text === "" ? undefined : text))

/**
 * The variables that are set. An empty variable counts as not set.
 *
 * @since 0.1.0
 * @category configuration
 */
export const variables: Config.Config<Variables> = Config.all({
  CUSTODY_BASE_URL: optional("CUSTODY_BASE_URL"),
  CUSTODY_SUBDOMAIN: optional("CUSTODY_SUBDOMAIN"),
  CUSTODY_HOST: optional("CUSTODY_HOST"),
  CUSTODY_ENVIRONMENT: optional("CUSTODY_ENVIRONMENT")
})

const invalid = (option: string, reason: string) => Result.fail(new ConfigurationInvalid({ option, reason }))

/** The variable behind each part of an environment. */
const partVariables: Readonly<Record<string, string>> = {
  "environment.subdomain": "CUSTODY_SUBDOMAIN",
  "environment.host": "CUSTODY_HOST"
}

const validated = (environment: Environment.Environment) =>
  Result.mapError(
    Environment.validate(environment),
    ({ option, reason }) => new ConfigurationInvalid({ option: partVariables[option] ?? "CUSTODY_BASE_URL", reason })
  )

/**
 * Makes the environment that the variables describe, and checks that the SDK may send a token to it. `needed` holds
 * further variables that the program requires, so that one error lists all variables that are not set. The `option` of
 * a `ConfigurationInvalid` names the variables at fault.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromVariables = (
  variables: Variables,
  needed: Readonly<Record<string, string | undefined>> = {}
): Result.Result<Environment.Environment, ConfigurationInvalid> => {
  const { CUSTODY_BASE_URL: url, CUSTODY_ENVIRONMENT: kind } = variables
  const { CUSTODY_HOST: host = "", CUSTODY_SUBDOMAIN: subdomain = "" } = variables
  const isEmulator = kind === "emulator"
  const set = organizationVariables.filter(
    (name) => variables[name] !== undefined && !(isEmulator && name === "CUSTODY_ENVIRONMENT")
  )
  if (url !== undefined && set.length > 0) {
    const doubt = "it is not certain which service is meant. Keep one or the other"
    return invalid("CUSTODY_BASE_URL", `set together with ${set.join(", ")}: ${doubt}`)
  }
  const wanted = url !== undefined ? [] : isEmulator ? (["CUSTODY_BASE_URL"] as const) : organizationVariables
  const unset = wanted.filter((name) => variables[name] === undefined)
  const missing = [...unset, ...Object.keys(needed).filter((name) => needed[name] === undefined)]
  if (missing.length > 0) {
    const instead = isEmulator
      ? "CUSTODY_ENVIRONMENT=emulator needs the whole address of the emulator in CUSTODY_BASE_URL"
      : "CUSTODY_BASE_URL, a whole address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT"
    return invalid(missing.join(", "), unset.length > 0 ? `not set. ${instead}` : "not set")
  }
  if (url !== undefined) return validated((isEmulator ? Environment.emulator : Environment.at)(url))
  if (kind !== "production" && kind !== "sandbox") {
    return invalid("CUSTODY_ENVIRONMENT", "must be production, sandbox or emulator")
  }
  const make = kind === "production" ? Environment.production : Environment.sandbox
  return validated(make({ subdomain, host }))
}

/**
 * The environment from the configuration, for a layer of your own. Fails with the message of {@link fromVariables}.
 *
 * @example
 * ```ts
 * import { Custody, EnvironmentConfig } from "@effect-custody/sdk"
 * import { Config, Effect, Layer } from "effect"
 *
 * const options = Config.all({ environment: EnvironmentConfig.environment, apiKey: EnvironmentConfig.apiKey })
 * const client = Layer.unwrap(Effect.map(options, Custody.layer))
 * ```
 *
 * @since 0.1.0
 * @category configuration
 */
export const environment: Config.Config<Environment.Environment> = Config.mapEffect(variables, (set) =>
  Effect.mapError(
    Effect.fromResult(fromVariables(set)),
    (cause) => new Config.ConfigError(new ConfigProvider.SourceError({ message: cause.message, cause }))
  )
)

/**
 * `CUSTODY_API_KEY` without the white space around it; `undefined` if no text is left.
 *
 * @since 0.1.0
 * @category configuration
 */
export const apiKey: Config.Config<Redacted.Redacted | undefined> = Config.map(
  Config.option(Config.Redacted("CUSTODY_API_KEY")),
  (key) => Option.getOrUndefined(Option.filter(Option.map(key, trimSecret), (text) => Redacted.value(text) !== ""))
)
