/**
 * Reads the parts of a contract from Effect's HttpApi, which keeps the schemas of an endpoint at run time and hides them
 * from its constraint types. The casts that this needs are here, and nowhere else.
 */
import type * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Contract from "../Contract.ts"
import * as Operation from "../unstable/Operation.ts"

const opened = (endpoint: HttpApiEndpoint.Constraint): HttpApiEndpoint.Top => endpoint as unknown as HttpApiEndpoint.Top

/** The same endpoint with an annotation. */
export const annotated = <E extends HttpApiEndpoint.ConstraintRequest, I, S>(
  endpoint: E,
  annotation: Context.Key<I, S>,
  value: S
): E => opened(endpoint).annotate(annotation, value) as unknown as E

/** The contracts of a group, in the order of their declaration. */
export const contractsOf = (group: HttpApiGroup.Constraint): ReadonlyArray<Contract.Any> =>
  Object.values(group.endpoints) as unknown as ReadonlyArray<Contract.Any>

/** The contract of a name in a group. */
export const contractOf = (group: HttpApiGroup.Constraint, name: string): Contract.Any =>
  group.endpoints[name] as unknown as Contract.Any

/** The parts of a contract. */
export const partsOf = (contract: Contract.Any): Contract.Parts => {
  const { error, identifier, method, params, path, payload, query, success } = opened(contract)
  const [body] = [...payload.values()]
  return {
    name: identifier,
    method,
    path,
    params,
    query,
    payload:
      body === undefined ? undefined : { schema: body.schemas[0], isMultipart: body.encoding._tag === "Multipart" },
    success: [...success][0]!,
    errors: [...error]
  }
}

/** A function that holds its operation and its contract, as the endpoint that its types say it is. */
export const endpointOf = <E>(
  call: (input?: unknown) => unknown,
  held: Operation.Operation<unknown, unknown>,
  contract: Contract.Any
): E => {
  const { operation, provenance, safety } = held
  return Object.assign(call, { operation, provenance, safety, contract, [Operation.TypeId]: held }) as never
}
