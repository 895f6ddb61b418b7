/** The service that a command reaches. */
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
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
