/** Keeps an endpoint whose wire nobody has confirmed from being called at a real service. */
import * as Result from "effect/Result"
import * as Environment from "../Environment.ts"
import type { Operation } from "../Operation.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import type { Differences, WireContract } from "../WireContract.ts"

const asDeclared: Differences = {}

/**
 * How the wire of an operation differs from its declaration, or why the operation must not be sent. A contract that is
 * provided where the call is made takes precedence over the client's.
 */
export const confirm = (
  operation: Operation<unknown, unknown>,
  environment: Environment.Environment,
  ofClient: WireContract,
  ofCall: WireContract
): Result.Result<Differences, UnconfirmedEndpoint> => {
  const differences = ofCall.confirmed(operation.operation) ?? ofClient.confirmed(operation.operation)
  if (differences !== undefined) return Result.succeed(differences)
  if (operation.provenance === "specified" || !Environment.isReal(environment)) return Result.succeed(asDeclared)
  const { method, path } = operation.route
  return Result.fail(new UnconfirmedEndpoint({ operation: operation.operation, assumed: `${method} ${path}` }))
}
