/** Refuses calls to a real service whose wire is assumed and not confirmed. */
import * as Result from "effect/Result"
import * as Environment from "../Environment.ts"
import type { Operation } from "../Operation.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import type { Wire } from "../Wire.ts"
import type { WireContract } from "../WireContract.ts"

/**
 * The wire of an operation, or why it must not be called. A contract that is provided to the call takes precedence over
 * the client's.
 */
export const confirm = (
  operation: Operation<unknown, unknown>,
  environment: Environment.Environment,
  ofClient: WireContract,
  ofCall: WireContract
): Result.Result<Wire, UnconfirmedEndpoint> => {
  const { operation: name, provenance, wire } = operation
  const said = ofCall.wire(name) ?? ofClient.wire(name)
  const isConfirmed = ofCall.confirms(name) || ofClient.confirms(name)
  if (isConfirmed || provenance === "specified" || !Environment.isReal(environment)) return Result.succeed(said ?? wire)
  const { method, path } = said?.route ?? wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}
