/** The service that a command reaches. */
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Effect from "effect/Effect"
import * as Output from "./output.ts"

/** The service of the environment, or which variables name one. */
export const configured = Effect.mapError(NodeCustody.environmentConfig, (error) =>
  Output.failure(
    "no service is configured: set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and " +
      `CUSTODY_ENVIRONMENT (production or sandbox). ${error.message}`,
    error
  )
)
