/** The service that a command reaches. */
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Output from "./output.ts"

const namesNone = (variables: EnvironmentConfig.Variables): boolean =>
  Object.values(variables).every((value) => value === undefined)

/** The service of the environment, or which variables name one, or which of them is wrong. */
export const configured = Output.orFail(EnvironmentConfig.variables).pipe(
  Effect.flatMap((variables) =>
    namesNone(variables)
      ? Effect.fail(
          Output.failure(
            "no service is configured: set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and " +
              "CUSTODY_ENVIRONMENT (production or sandbox)"
          )
        )
      : Output.orFail(Effect.fromResult(EnvironmentConfig.fromVariables(variables)))
  )
)

/** The configured base address, or what is wrong with it; `undefined` if no service is configured. */
export const found = Effect.map(EnvironmentConfig.variables, (variables) =>
  namesNone(variables)
    ? undefined
    : Result.match(EnvironmentConfig.fromVariables(variables), {
        onSuccess: ({ baseUrl }): string | { readonly wrong: string } => baseUrl,
        onFailure: ({ message }) => ({ wrong: message })
      })
)
