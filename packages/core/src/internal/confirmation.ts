/** Refuses calls to a real service whose wire is assumed and not confirmed. */
import * as Result from "effect/Result"
import type { Operation } from "../Operation.ts"
import { UnconfirmedEndpoint } from "../SdkError.ts"
import type { Wire, Wires } from "../Wire.ts"

/**
 * The one contract from which an operation has its wire, its defaults and its confirmation. The client's comes first,
 * because the one around a call may be that of another client in the same program.
 */
const contractFor = (name: string, ofClient: Wires, ofCall: Wires): Wires => {
  if (ofClient.confirms(name)) return ofClient
  if (ofCall.confirms(name)) return ofCall
  return ofClient.wire(name) === undefined ? ofCall : ofClient
}

/** The wire of an operation, or why it must not be called. `isReal`: real money may be at the other end. */
export const confirm = (
  operation: Operation<unknown, unknown>,
  isReal: boolean,
  ofClient: Wires,
  ofCall: Wires
): Result.Result<Wire, UnconfirmedEndpoint> => {
  const { operation: name, provenance } = operation
  const contract = contractFor(name, ofClient, ofCall)
  const wire = contract.wire(name) ?? operation.wire
  if (contract.confirms(name) || provenance === "specified" || !isReal) return Result.succeed(wire)
  const { method, path } = wire.route
  return Result.fail(new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` }))
}
