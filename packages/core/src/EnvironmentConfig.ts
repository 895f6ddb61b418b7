/**
 * Which service the configuration names: `CUSTODY_BASE_URL`, a whole address, or `CUSTODY_SUBDOMAIN`, `CUSTODY_HOST` and
 * `CUSTODY_ENVIRONMENT` (`production` or `sandbox`).
 *
 * Specification: "Environments and base address".
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Environment from "./Environment.ts"
import { ConfigurationInvalid } from "./SdkError.ts"
import { trimmed } from "./Text.ts"

/**
 * The variables that name a service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variables {
  /** The whole base address, such as an emulator's. */
  readonly CUSTODY_BASE_URL: string | undefined
  /** The organization's assigned subdomain. */
  readonly CUSTODY_SUBDOMAIN: string | undefined
  /** The service's host, without scheme. */
  readonly CUSTODY_HOST: string | undefined
  /** `production` or `sandbox`. */
  readonly CUSTODY_ENVIRONMENT: string | undefined
}

const organizationVariables = ["CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"] as const

const optional = (name: string): Config.Config<string | undefined> =>
  Config.String(name).pipe(
    Config.withDefault(undefined),
    Config.map((text) => (text === "" ? undefined : text))
  )

/**
 * The variables as they are set. An empty one counts as none.
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

/** The variable of each part of an environment. */
const variableOf: Readonly<Record<string, string>> = {
  "environment.subdomain": "CUSTODY_SUBDOMAIN",
  "environment.host": "CUSTODY_HOST",
  "environment.url": "CUSTODY_BASE_URL"
}

const validate = (environment: Environment.Environment): Result.Result<Environment.Environment, ConfigurationInvalid> =>
  Result.mapError(
    Environment.validate(environment),
    ({ option, reason }) => new ConfigurationInvalid({ option: variableOf[option] ?? option, reason })
  )

const notSet = (missing: ReadonlyArray<string>) =>
  invalid(
    missing.join(", "),
    organizationVariables.some((name) => missing.includes(name))
      ? `not set. CUSTODY_BASE_URL, a whole address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT`
      : "not set"
  )

/**
 * The environment that the variables name, if a token may be sent there. `needed` are further variables that the program
 * cannot do without, by their names: one error lists everything that is not set.
 *
 * Otherwise a `ConfigurationInvalid`, whose `option` is the variable: all that are missing; `CUSTODY_BASE_URL` if a part
 * of another address is set too; or one whose value is wrong.
 *
 * @example
 * ```ts
 * import { EnvironmentConfig } from "@effect-custody/core"
 * import { Config, Effect } from "effect"
 *
 * const settings = Effect.gen(function* () {
 *   const variables = yield* EnvironmentConfig.variables
 *   const table = yield* Config.String("PAYOUTS_TABLE").pipe(Config.withDefault(undefined))
 *   return yield* Effect.fromResult(EnvironmentConfig.fromVariables(variables, { PAYOUTS_TABLE: table }))
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromVariables = (
  variables: Variables,
  needed: Readonly<Record<string, string | undefined>> = {}
): Result.Result<Environment.Environment, ConfigurationInvalid> => {
  const {
    CUSTODY_BASE_URL: url,
    CUSTODY_ENVIRONMENT: kind,
    CUSTODY_HOST: host,
    CUSTODY_SUBDOMAIN: subdomain
  } = variables
  const unset = Object.keys(needed).filter((name) => needed[name] === undefined)
  if (url !== undefined) {
    const others = organizationVariables.filter((name) => variables[name] !== undefined)
    if (others.length > 0) {
      const doubt = "it is not certain which service is meant. Keep one or the other"
      return invalid("CUSTODY_BASE_URL", `set together with ${others.join(", ")}: ${doubt}`)
    }
    return unset.length > 0 ? notSet(unset) : validate(Environment.local(url))
  }
  if (kind === undefined || host === undefined || subdomain === undefined || unset.length > 0) {
    return notSet([...organizationVariables.filter((name) => variables[name] === undefined), ...unset])
  }
  switch (kind) {
    case "production":
      return validate(Environment.production({ subdomain, host }))
    case "sandbox":
      return validate(Environment.sandbox({ subdomain, host }))
    default:
      return invalid("CUSTODY_ENVIRONMENT", "must be production or sandbox")
  }
}

/**
 * The environment from the configuration, for a layer of your own. Fails as {@link fromVariables} does, with its message.
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/authentication"
 * import { EnvironmentConfig } from "@effect-custody/core"
 * import { Custody } from "@effect-custody/sdk"
 * import { Config, Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const options = Config.all({
 *   environment: EnvironmentConfig.environment,
 *   apiKey: Config.Redacted("CUSTODY_API_KEY").pipe(Config.withDefault(undefined))
 * })
 *
 * const live = Layer.unwrap(Effect.map(options, Custody.layer)).pipe(
 *   Layer.provide([FetchHttpClient.layer, TokenStore.layerMemory])
 * )
 * ```
 *
 * @since 0.1.0
 * @category configuration
 */
export const environment: Config.Config<Environment.Environment> = variables.pipe(
  Config.mapEffect((set) =>
    Effect.mapError(
      Effect.fromResult(fromVariables(set)),
      (cause) => new Config.ConfigError(new ConfigProvider.SourceError({ message: cause.message, cause }))
    )
  )
)

/**
 * `CUSTODY_API_KEY` without the white space around it: one from a file may end with a newline. `undefined` if it is not
 * set, or has nothing else.
 *
 * @since 0.1.0
 * @category configuration
 */
export const apiKey: Config.Config<Redacted.Redacted | undefined> = Config.map(
  Config.option(Config.Redacted("CUSTODY_API_KEY")),
  (key) => Option.getOrUndefined(Option.filter(Option.map(key, trimmed), (text) => Redacted.value(text) !== ""))
)
