/**
 * The declarations that a contract has in addition to the schemas of its `HttpApiEndpoint`.
 *
 * Specification: "Endpoints".
 *
 * @since 0.1.0
 */
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as HttpContract from "./HttpContract.ts"

/**
 * The origin of an endpoint's method and path: shown by the specification (`specified`), or assumed by us (`assumed`).
 * The SDK calls an assumed endpoint of a real service only after you have confirmed the endpoint with a
 * `ServiceContract`.
 *
 * @since 0.1.0
 * @category models
 */
export type Provenance = "specified" | "assumed"

/**
 * The effect of sending the same request twice:
 *
 * - `read`: nothing changes;
 * - `keyed`: the request creates something under a name that the caller chose, so that a look-up by name can find it;
 * - `write`: the second request moves or creates value again;
 * - `session`: the request spends a one-time secret.
 *
 * @since 0.1.0
 * @category models
 */
export type Safety = "read" | "keyed" | "write" | "session"

/**
 * The properties that a declaration adds to an endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Declaration<P extends Provenance, S extends Safety> {
  readonly provenance: P
  readonly safety: S
  /** The section of the specification that describes the endpoint. */
  readonly section: string
  /** The operation that shows whether this operation took effect. */
  readonly lookUp: string | undefined
  readonly existing: Existing | undefined
  readonly about: About | undefined
}

/** How to recognise the requested record in the answer to a read by id. */
interface About {
  /** The path parameter with the id, such as `walletId`. */
  readonly parameter: string
  /**
   * The fields in which the record shows its id. If an answer has one of these fields, the requested id must be there
   * or in another usual field for an id (`hash`, `reference`, `uuid` and the like). Otherwise the read fails with
   * `UnexpectedResponse`. For a part of a record, such as a balance, leave out `id`, because the part may have an `id`
   * of its own.
   */
  readonly idFields: ReadonlyArray<string>
}

/**
 * The read that finds the records of a `keyed` operation by the names that the caller gave them. Its payload has the
 * same type as the creation's payload, or as an item of that payload. If the read refuses a name, such as `..` in a
 * path, the SDK refuses to create anything under that name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Existing {
  /** An operation of the same group, such as `clients.get`, that fails with `NotFound` if there is no such record. */
  readonly operation: string
  /**
   * Maps each field of the read's input to the field of the creation's input that has the same value. If the value is a
   * list, the SDK reads once for each item.
   */
  readonly lookupInput: Readonly<Record<string, string>>
  /**
   * Keys: the record's fields that hold its name. Values: the fields of the creation's input that hold the same name.
   * Default: `lookupInput`. List only fields that a record always has, because a record without such a field, or with
   * another value, proves nothing.
   */
  readonly identityFields?: Readonly<Record<string, string>> | undefined
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
  readonly lookUp?: string | undefined
  readonly existing?: (S extends "keyed" ? Existing : never) | undefined
  /**
   * A string names the path parameter with the id. Use a string if the record shows its id under `id` or under that
   * name.
   */
  readonly about?: (S extends "read" ? string | About : never) | undefined
}

/**
 * The parts of a contract: name, method, path and schemas.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parts {
  /** The name in the group, such as `details`. */
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  /** The path relative to the base address, with `:name` for a parameter. */
  readonly path: string
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: { readonly schema: Schema.Top; readonly isMultipart: boolean } | undefined
  /** The envelope of a success. */
  readonly success: Schema.Top
  readonly errors: ReadonlyArray<Schema.Top>
}

/** Casts an endpoint to the type with its schemas, which exist at run time but not in HttpApi's constraint types. */
const open = (endpoint: HttpApiEndpoint.Constraint): HttpApiEndpoint.Top => endpoint as unknown as HttpApiEndpoint.Top

/**
 * Reads the {@link Parts} of a contract.
 *
 * @since 0.1.0
 * @category getters
 */
export const parts = (contract: Any): Parts => {
  const { error, identifier, method, params, path, payload, query, success } = open(contract)
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
 * Lists the contracts of a group in the order of their declaration.
 *
 * @since 0.1.0
 * @category getters
 */
export const all = (group: HttpApiGroup.Constraint): ReadonlyArray<Any> =>
  Object.values(group.endpoints) as unknown as ReadonlyArray<Any>

/**
 * Gets a contract of a group by its name.
 *
 * @since 0.1.0
 * @category getters
 */
export const get = (group: HttpApiGroup.Constraint, name: string): Any => group.endpoints[name] as unknown as Any

/**
 * Makes the codec of the envelope around the payload of a success: `{ message, data, status }`. Only `data` is
 * required. Endpoint functions open the envelope and return the payload.
 *
 * Specification: "Success envelope".
 *
 * @since 0.1.0
 * @category constructors
 */
export const envelope = <S extends Schema.Top>(data: S) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data,
    status: Schema.optionalKey(Schema.Int.annotate({ examples: [200] }))
  })

/**
 * The type of an {@link optionalDefined} field.
 *
 * @since 0.2.0
 * @category models
 */
export interface optionalDefined<S extends Schema.Constraint> extends Schema.optionalKey<S> {
  readonly "~custodyDefined": true
}

/**
 * Makes an optional field of an input. A caller may leave the field out, but must not set it to `undefined`, because an
 * accidental `undefined` must not change what the call moves. In every other optional field, `undefined` means absent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const optionalDefined = <S extends Schema.Top>(schema: S): optionalDefined<S> =>
  Schema.optionalKey(schema).annotate({ custodyDefined: true }) as optionalDefined<S>

const declare =
  <P extends Provenance>(provenance: P) =>
  <const S extends Safety>({ about, existing, lookUp, safety, section }: Options<S>) =>
  <E extends HttpApiEndpoint.ConstraintRequest>(endpoint: E): E & Declaration<P, S> => {
    const described = open(endpoint).annotateMerge(
      HttpContract.openApi({
        Transform: (operation: object) => ({
          ...operation,
          "x-provenance": provenance,
          "x-safety": safety,
          "x-specification": section
        })
      })
    )
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
 * Declares that the method and path of an endpoint are assumed. Until a `ServiceContract` confirms the endpoint, a call
 * to a real service fails with `UnconfirmedEndpoint`. `Endpoint.make` has an example.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assumed = declare("assumed")
