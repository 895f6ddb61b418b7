/** The service that a command reaches. */
import * as Environment from "@effect-custody/core/Environment"
import * as EnvironmentConfig from "@effect-custody/sdk/EnvironmentConfig"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Output from "../terminal/output.ts"

/** The service of the environment, or the mistake in its variables. `undefined` if no variable is set. */
export const found = Effect.map(EnvironmentConfig.variables, (variables) =>
  Object.values(variables).every((value) => value === undefined)
    ? undefined
    : EnvironmentConfig.fromVariables(variables)
)

export const configured = Output.orFail(found).pipe(
  Effect.flatMap((service) =>
    service === undefined
      ? Output.failure(
          "no service is configured: set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and " +
            "CUSTODY_ENVIRONMENT (production or sandbox); for an emulator CUSTODY_BASE_URL and CUSTODY_ENVIRONMENT=emulator"
        )
      : Output.orFail(Effect.fromResult(service))
  )
)

/** `--not-production`, for an address that does not show it. */
export const notProduction = Flag.Boolean("not-production").pipe(
  Flag.withDescription("Confirm that the service at the address in CUSTODY_BASE_URL is not production"),
  Flag.withDefault(false)
)

/**
 * Fails unless CUSTODY_ENVIRONMENT says sandbox or emulator, or a person confirms that the service is not production. An
 * address does not show this: behind one of this machine, a tunnel may lead to production.
 */
export const assertNoProduction = Effect.fnUntraced(function* (
  command: string,
  environment: Environment.Environment,
  isConfirmed: boolean
) {
  const { baseUrl, kind } = yield* Output.orFail(Effect.fromResult(Environment.validate(environment)))
  if (kind === "production") {
    return yield* Output.failure(`${command} is for sandboxes only, and this environment is production`)
  }
  if (kind === "sandbox" || kind === "emulator" || isConfirmed) return
  return yield* Output.failure(
    `nothing shows whether ${baseUrl} is production: use --not-production if it is certainly not, and --yes without a terminal. Nothing was done`
  )
})
