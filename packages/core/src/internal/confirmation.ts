/** Refuses calls to a real service whose wire is assumed and not confirmed. */
import * as Result from "effect/Result"
import type { Operation } from "../Operation.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import type { Wire } from "../Wire.ts"
import type { WireContract } from "../WireContract.ts"

/**
 * The wire of an operation, or why it must not be called. A contract that is provided to the call takes precedence over
 * the client's. `isReal`: real money may be at the other end.
 */
export const confirm = (
  operation: Operation<unknown, unknown>,
  isReal: boolean,
  ofClient: WireContract,
  ofCall: WireContract
): Result.Result<Wire, UnconfirmedEndpoint> => {
  const { operation: name, provenance, wire } = operation
  const said = ofCall.wire(name) ?? ofClient.wire(name)
  const isConfirmed = ofCall.confirms(name) || ofClient.confirms(name)
  if (isConfirmed || provenance === "specified" || !isReal) return Result.succeed(said ?? wire)
  const { method, path } = said?.route ?? wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}
