/**
 * What an endpoint is, as plain data. The function of an endpoint carries its declaration as properties. Its schemas say
 * which fields its input and its payload have, and the kind of each value. Pure.
 *
 * Specification: "Endpoints".
 *
 * @since 0.1.0
 *
 * @siblings `contract`, `emulator`, `sdk`, `testing` and `cli` read what endpoints declare.
 */
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { ErrorClass } from "../errors/ApiError.ts"

/**
 * The origin of an endpoint's method and path: shown by the specification (`specified`), or assumed by us (`assumed`).
 * The SDK calls an assumed endpoint of a real service only after you have confirmed the endpoint with a
 * contract, except for a read of a sandbox.
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

/** The fields of a part of an input, or a struct of them. */
export type Payload = Schema.Struct.Fields | Schema.Struct<Schema.Struct.Fields>

/**
 * An endpoint as data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Declaration {
  /** The name, such as `vaults.details`. */
  readonly operation: string
  readonly route: Route
  readonly safety: Safety
  readonly provenance: Provenance
  /** The section of the specification that describes the endpoint. An endpoint of your own has none. */
  readonly section: string | undefined
  /** The operation that shows whether this operation took effect. */
  readonly lookUp: (() => Pick<Declaration, "operation">) | undefined
  readonly existing: Existing | undefined
  readonly about: About | undefined
  readonly params: Schema.Struct.Fields
  readonly query: Schema.Struct.Fields
  /** `undefined`: no body. */
  readonly payload: Payload | undefined
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
}

const isStruct = (payload: Payload): payload is Schema.Struct<Schema.Struct.Fields> => Schema.isSchema(payload)

/** The fields of the body. */
export const payloadFields = ({ payload = {} }: Declaration): Schema.Struct.Fields =>
  isStruct(payload) ? payload.fields : payload

/** The fields of the whole input: path parameters, query and body. */
export const fields = (declaration: Declaration): Schema.Struct.Fields => ({
  ...declaration.params,
  ...declaration.query,
  ...payloadFields(declaration)
})

/** The names of the parameters in a path. */
export const pathParameters = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

/** The methods of each safety class. A method that may change something is no read. */
export const methods = {
  read: ["GET"],
  keyed: ["POST", "PUT"],
  write: ["POST", "PUT", "PATCH", "DELETE"],
  session: ["POST"]
} as const

/** Says what is wrong with a declaration, or returns `undefined`. The types of the constructors say the same. */
export const objection = (declaration: Declaration): string | undefined => {
  const { about, params, query, route, safety } = declaration
  const inPath = pathParameters(route.path)
  const names = [params, query, payloadFields(declaration)].flatMap(Object.keys)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  const missing = inPath.find((name) => !Object.hasOwn(params, name))
  const unused = Object.keys(params).find((name) => !inPath.includes(name))
  if (!methods[safety].some((method) => method === route.method)) return `${route.method} is no method of a ${safety}`
  if (missing !== undefined) return `the path has :${missing}, and params has no ${missing}`
  if (unused !== undefined) return `params has ${unused}, and the path has no :${unused}`
  if (about !== undefined && !(Object.hasOwn(params, about.parameter) && Array.isArray(about.idFields))) {
    return "about is neither a parameter of the path nor { parameter, idFields: […] } with one"
  }
  return repeated === undefined ? undefined : `two parts of the input have the name ${repeated}`
}

/** The schemas of the parts of an endpoint's wire, whose encoded side is JSON, or text in a path and a query. */
export interface Codecs {
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: Schema.Top | undefined
  /** The payload of a success: a record, or the list of them. */
  readonly data: Schema.Top
}

/** The schema of the body. */
export const body = ({ payload }: Declaration): Schema.Struct<Schema.Struct.Fields> | undefined =>
  payload && (isStruct(payload) ? payload : Schema.Struct(payload))

const texts = (fields: Schema.Struct.Fields): Schema.Top | undefined =>
  Object.keys(fields).length === 0 ? undefined : Schema.toCodecStringTree(Schema.Struct(fields))

const made = new WeakMap<Declaration, Codecs>()

/** Makes the codecs of a declaration, at first use. */
export const codecs = (declaration: Declaration): Codecs => {
  const known = made.get(declaration)
  if (known !== undefined) return known
  const { isMultipart, params, query } = declaration
  const payload = body(declaration)
  const codecs: Codecs = {
    params: texts(params),
    query: texts(query),
    payload: payload === undefined || isMultipart ? payload : Schema.toCodecJson(payload),
    data: Schema.toCodecJson(data(declaration))
  }
  made.set(declaration, codecs)
  return codecs
}

/** The schema of the payload of a success. */
export const data = ({ isList, success }: Declaration): Schema.Top => (isList ? Schema.Array(success) : success)

// A page of a list.

/**
 * The codec of a count: an integer, or a string of its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Count = Schema.Union([Schema.Int, Schema.FiniteFromString])

/**
 * The facts about the whole list that an answer may contain.
 *
 * @since 0.1.0
 * @category models
 */
export const Meta = Schema.Struct({
  totalItems: Schema.optionalKey(Count),
  itemsPerPage: Schema.optionalKey(Count),
  totalPages: Schema.optionalKey(Count),
  currentPage: Schema.optionalKey(Count),
  hasPreviousPage: Schema.optionalKey(Schema.Boolean),
  hasNextPage: Schema.optionalKey(Schema.Boolean)
})
export interface Meta extends Schema.Schema.Type<typeof Meta> {}

/**
 * One page of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The paging information that the service sends with the list, if any. */
  readonly meta: Meta | undefined
  /** The cursor of the next page, if the service pages by cursor, link or offset. `Page.after` takes it. */
  readonly nextCursor?: string
  /**
   * Only if the service pages by cursor, and the page has no `nextCursor`: `true` if the service says that another page
   * follows all the same, `false` if this page is the last.
   */
  readonly hasNext?: boolean
}

/**
 * The schema of the envelope around the payload of a success: `{ message, data, status }`. `data` is an object, by the
 * specification. Assumed: `data` holds the rows of a list as `items`, and beside them what the service says of the whole
 * list. The client reads the payload itself; a server and a document need the whole.
 *
 * Specification: "Success envelope".
 */
export const envelope = (declaration: Declaration) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data: isList(declaration)
      ? Schema.Struct({ items: data(declaration), ...(declaration.isList ? Meta.fields : {}) })
      : data(declaration),
    status: Schema.optionalKey(Schema.Int.annotate({ examples: [200] }))
  })

// What an answer has.

/** Finds the type that a codec encodes to. */
export const encodedType = (ast: SchemaAST.AST): SchemaAST.AST => {
  const link = ast.encoding?.at(-1)
  return link === undefined ? ast : encodedType(link.to)
}

/** `true` if the input has `page` and `limit`. */
export const isPaged = ({ query }: Declaration): boolean => "page" in query && "limit" in query

/** `true` if the payload is a list, with or without pages. */
export const isList = (declaration: Declaration): boolean =>
  SchemaAST.isArrays(encodedType(codecs(declaration).data.ast))

/**
 * `true` if a success must have a payload. A record must be there if one of its fields is required, such as its id. A
 * write must return the list of the records that it created.
 */
export const needsPayload = (declaration: Declaration): boolean => {
  const encoded = encodedType(codecs(declaration).data.ast)
  if (SchemaAST.isArrays(encoded)) return declaration.safety !== "read"
  return !SchemaAST.isObjects(encoded) || encoded.propertySignatures.some(({ type }) => !SchemaAST.isOptional(type))
}
