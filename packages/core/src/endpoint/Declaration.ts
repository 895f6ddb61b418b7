/**
 * What an endpoint is, as plain data. The function of an endpoint carries its declaration as properties.
 *
 * Specification: "Endpoints".
 *
 * @since 0.3.0
 */
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as ApiError from "../errors/ApiError.ts"
import { Meta } from "../paging/pageModel.ts"

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

/** The method and path of an endpoint, relative to the base address, with `:name` for a parameter. */
export interface Route {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
}

/** How to recognise the requested record in the answer to a read by id. */
export interface About {
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
 * The read that finds the records of a `keyed` operation by the names that the caller gave them. If the read refuses a
 * name, such as `..` in a path, the SDK refuses to create anything under that name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Existing {
  /** A read of one record that fails with `NotFound` if there is no such record. */
  readonly read: () => Declaration
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

/** The class of an error answer, such as `NotFound`. */
export type ErrorClass = Schema.Codec<ApiError.ApiError, any> & { readonly fields: { readonly _tag: Schema.Top } }

/** The tag of an error class. */
export const tagOf = ({ fields }: ErrorClass): ApiError.Tag =>
  (fields._tag.ast as SchemaAST.Literal).literal as ApiError.Tag

/**
 * An endpoint as data.
 *
 * @since 0.3.0
 * @category models
 */
export interface Declaration {
  /** The name, such as `vaults.details`. */
  readonly operation: string
  readonly route: Route
  readonly safety: Safety
  readonly provenance: Provenance
  /** The section of the specification that describes the endpoint. */
  readonly section: string
  /** The operation that shows whether this operation took effect. */
  readonly lookUp: string | undefined
  readonly existing: Existing | undefined
  readonly about: About | undefined
  readonly params: Schema.Struct.Fields
  readonly query: Schema.Struct.Fields
  /** `undefined`: no body. */
  readonly payload: Schema.Struct.Fields | undefined
  /** `true` if the body is `multipart/form-data` instead of JSON. */
  readonly isMultipart: boolean
  /** The record of a success; of a list, one of its items. */
  readonly success: Schema.Top
  /** `true` if the endpoint answers with a page of records. */
  readonly isList: boolean
  /** The HTTP status of a success. */
  readonly status: number
  /** The error answers, beside those of every endpoint. */
  readonly refusals: ReadonlyArray<ErrorClass>
  /** The place of the declaration among all, because a module lists its exports in the order of their names. */
  readonly ordinal: number
}

/** The schemas of the parts of an endpoint's wire, whose encoded side is JSON, or text in a path and a query. */
export interface Codecs {
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: Schema.Top | undefined
  /** The payload of a success: a record, or the list of them. */
  readonly data: Schema.Top
}

const texts = (fields: Schema.Struct.Fields): Schema.Top | undefined =>
  Object.keys(fields).length === 0 ? undefined : Schema.toCodecStringTree(Schema.Struct(fields))

const made = new WeakMap<Declaration, Codecs>()

/** Makes the codecs of a declaration, at first use. */
export const codecs = (declaration: Declaration): Codecs => {
  const known = made.get(declaration)
  if (known !== undefined) return known
  const { isMultipart, params, payload, query } = declaration
  const body = payload && Schema.Struct(payload)
  const codecs: Codecs = {
    params: texts(params),
    query: texts(query),
    payload: body === undefined || isMultipart ? body : Schema.toCodecJson(body),
    data: Schema.toCodecJson(data(declaration))
  }
  made.set(declaration, codecs)
  return codecs
}

/** The schema of the payload of a success. */
export const data = ({ isList, success }: Declaration): Schema.Top => (isList ? Schema.Array(success) : success)

/**
 * The schema of the envelope around the payload of a success: `{ message, data, meta, status }`. The client reads the
 * payload itself; a server and a document need the whole.
 *
 * Specification: "Success envelope".
 */
export const envelope = (declaration: Declaration) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data: data(declaration),
    ...(declaration.isList ? { meta: Schema.optionalKey(Meta) } : {}),
    status: Schema.optionalKey(Schema.Int.annotate({ examples: [200] }))
  })
