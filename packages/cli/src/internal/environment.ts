/** The service that a command reaches. */
import * as Environment from "@effect-custody/core/Environment"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Output from "./output.ts"

/** The variable of each part of an environment. */
const variableOf: Readonly<Record<string, string>> = {
  "environment.subdomain": "CUSTODY_SUBDOMAIN",
  "environment.host": "CUSTODY_HOST",
  "environment.url": "CUSTODY_BASE_URL"
}

/** The environment if it may be shown and used: an address may hold a password. Otherwise what is wrong with it. */
const validated = (environment: Environment.Environment): Result.Result<Environment.Environment, string> =>
  Result.mapError(
    Environment.validate(environment),
    ({ option, reason }) => `${variableOf[option] ?? option}: ${reason}`
  )

/** The service of the environment, or which variables name one, or which of them is wrong. */
export const configured = Effect.mapError(NodeCustody.environmentConfig, (error) =>
  Output.failure(
    "no service is configured: set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and " +
      `CUSTODY_ENVIRONMENT (production or sandbox). ${error.message}`,
    error
  )
).pipe(
  Effect.flatMap((environment) =>
    Effect.mapError(Effect.fromResult(validated(environment)), (reason) => Output.failure(reason))
  )
)

/** The configured base address, or what is wrong with it; `undefined` if no service is configured. */
export const found = Effect.map(Effect.option(NodeCustody.environmentConfig), (environment) =>
  Option.isNone(environment)
    ? undefined
    : Result.match(validated(environment.value), {
        onSuccess: ({ baseUrl }): string | { readonly wrong: string } => baseUrl,
        onFailure: (wrong) => ({ wrong })
      })
)
