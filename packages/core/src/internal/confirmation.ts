/** Refuses calls to a real service whose wire is assumed and not confirmed. */
import * as Result from "effect/Result"
import type { Operation } from "../Operation.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import type { Wire, Wires } from "../Wire.ts"

/** The wire of an operation, or why it must not be called. `isReal`: real money may be at the other end. */
export const confirm = (
  { operation: name, provenance, wire: assumed }: Operation<unknown, unknown>,
  isReal: boolean,
  ofClient: Wires,
  ofCall: Wires
): Result.Result<Wire, UnconfirmedEndpoint> => {
  // The client's comes first: the one around a call may be that of another client in the same program.
  const confirming = ofClient.confirms(name) ? ofClient : ofCall.confirms(name) ? ofCall : undefined
  const contract = confirming ?? (ofClient.wire(name) === undefined ? ofCall : ofClient)
  const wire = contract.wire(name) ?? assumed
  if (confirming !== undefined || provenance === "specified" || !isReal) return Result.succeed(wire)
  const { method, path } = wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}
