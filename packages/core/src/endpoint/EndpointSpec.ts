/**
 * What a contract declares beside the schemas of its `HttpApiEndpoint`.
 *
 * Specification: "Endpoints".
 *
 * @since 0.1.0
 */
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

/**
 * Whether the specification shows the method and path of an endpoint (`specified`), or we assume them (`assumed`). A real
 * service is called under an assumed one only once the operator has confirmed it with a `ServiceContract`.
 *
 * @since 0.1.0
 * @category models
 */
export type Provenance = "specified" | "assumed"

/**
 * What happens if the same request is sent twice:
 *
 * - `read`: nothing changes;
 * - `keyed`: it creates something that the caller names, so that it can be looked up by that name;
 * - `write`: it moves or makes value a second time;
 * - `session`: it spends a one-time secret.
 *
 * @since 0.1.0
 * @category models
 */
export type Safety = "read" | "keyed" | "write" | "session"

/**
 * What a declaration adds to an endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Declaration<P extends Provenance, S extends Safety> {
  readonly provenance: P
  readonly safety: S
  /** The section of the specification that it rests on. */
  readonly section: string
  /** The operation that shows whether this one has happened. */
  readonly lookUp: string | undefined
  readonly existing: Existing | undefined
  readonly about: About | undefined
}

/** The record that the answer to a read by id has to be about. */
interface About {
  /** The parameter of the path that has the id, such as `walletId`. */
  readonly parameter: string
  /**
   * The fields under which the record shows its id. An answer that shows one of them, and the id asked for neither there
   * nor under another name for an id (`hash`, `reference`, `uuid` and the like), fails with `UnexpectedResponse`. For a
   * part of a record, such as a balance, whose own `id` is another one, leave `id` out.
   */
  readonly idFields: ReadonlyArray<string>
}

/**
 * The read that finds what a `keyed` operation has created, by the name that the caller gave it. Its payload is that of the
 * creation or one item of it. A creation whose names the read refuses, such as `..` in a path, is refused too.
 *
 * @since 0.1.0
 * @category models
 */
export interface Existing {
  /** An operation of the same group, such as `clients.get`, that fails with `NotFound` if there is nothing. */
  readonly operation: string
  /** For each field of its input, the field of the creation that has the value. A list of values means one read each. */
  readonly lookupInput: Readonly<Record<string, string>>
  /**
   * For each field by which the record shows its name, the field of the creation that has the value. Default:
   * `lookupInput`. A record without such a field, or with another value, proves nothing, so name only fields that it
   * always has.
   */
  readonly identityFields?: Readonly<Record<string, string>>
}

/**
 * Any declared endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export type Any = HttpApiEndpoint.ConstraintRequest & Declaration<Provenance, Safety>

interface Options<S extends Safety> {
  readonly safety: S
  readonly section: string
  readonly lookUp?: string
  readonly existing?: S extends "keyed" ? Existing : never
  /** Or only the parameter that has the id, for a record that shows it under `id` or the name of the parameter. */
  readonly about?: S extends "read" ? string | About : never
}

/**
 * The parts of a contract's wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parts {
  /** Its name in its group, such as `details`. */
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  /** Relative to the base address, with `:name` for a parameter. */
  readonly path: string
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: { readonly schema: Schema.Top; readonly isMultipart: boolean } | undefined
  /** The envelope of a success. */
  readonly success: Schema.Top
  readonly errors: ReadonlyArray<Schema.Top>
}

/** Effect's HttpApi keeps the schemas of an endpoint at run time, and hides them from its constraint types. */
const opened = (endpoint: HttpApiEndpoint.Constraint): HttpApiEndpoint.Top => endpoint as unknown as HttpApiEndpoint.Top

/**
 * Reads the {@link Parts} of a contract.
 *
 * @since 0.1.0
 * @category getters
 */
export const parts = (contract: Any): Parts => {
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

/**
 * The contracts of a group, in their order.
 *
 * @since 0.1.0
 * @category getters
 */
export const all = (group: HttpApiGroup.Constraint): ReadonlyArray<Any> =>
  Object.values(group.endpoints) as unknown as ReadonlyArray<Any>

/**
 * The contract of a name in a group.
 *
 * @since 0.1.0
 * @category getters
 */
export const get = (group: HttpApiGroup.Constraint, name: string): Any => group.endpoints[name] as unknown as Any

/**
 * An optional field of an input that may be left out, but not be `undefined`: a mistake must not decide what moves.
 *
 * @since 0.1.0
 * @category constructors
 */
export const optionalDefined = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> =>
  Schema.optionalKey(schema).annotate({ custodyDefined: true })

const declare =
  <P extends Provenance>(provenance: P) =>
  <const S extends Safety>({ about, existing, lookUp, safety, section }: Options<S>) =>
  <E extends HttpApiEndpoint.ConstraintRequest>(endpoint: E): E & Declaration<P, S> => {
    const described = opened(endpoint).annotate(OpenApi.Transform, (operation) => ({
      ...operation,
      "x-provenance": provenance,
      "x-safety": safety,
      "x-specification": section
    }))
    return Object.assign(described as unknown as E, {
      provenance,
      safety,
      section,
      lookUp: lookUp ?? existing?.operation,
      existing,
      about: typeof about === "string" ? { parameter: about, idFields: ["id", about] } : (about as About | undefined)
    })
  }

/**
 * Declares that the specification shows the method and path of an endpoint.
 *
 * @since 0.1.0
 * @category constructors
 */
export const specified = declare("specified")

/**
 * Declares that the method and path of an endpoint are assumed: until a `ServiceContract` confirms it, a call at a real
 * service fails with `UnconfirmedEndpoint`. `Endpoint.make` has an example.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assumed = declare("assumed")
