/** What keeps an unconfirmed endpoint from being called where money may be at the other end. */
import * as Effect from "effect/Effect"
import type { Operation } from "../Operation.ts"
import * as Environment from "../Environment.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import { type Differences, WireContract } from "../WireContract.ts"

const specifiedAsIs: Differences = {}

/**
 * The differences to send an operation with, or why it must not be sent. What is confirmed where the call is made stands
 * above what was confirmed where the client was made.
 */
export const gate = (
  operation: Operation<unknown, unknown>,
  environment: Environment.Environment,
  contract: WireContract
): Effect.Effect<Differences, UnconfirmedEndpoint> =>
  Effect.flatMap(WireContract, ({ confirmed }) => {
    const differences = confirmed(operation.operation) ?? contract.confirmed(operation.operation)
    if (differences !== undefined) return Effect.succeed(differences)
    if (operation.provenance === "specified" || !Environment.isReal(environment)) return Effect.succeed(specifiedAsIs)
    const { method, path } = operation.route
    return Effect.fail(new UnconfirmedEndpoint({ operation: operation.operation, assumed: `${method} ${path}` }))
  })
