/**
 * Declares endpoints, groups and an API like Effect's `HttpApiEndpoint`, `HttpApiGroup` and `HttpApi`, but does not
 * load these modules, because a call needs no router and no server. The result has Effect's types. Each schema becomes
 * a codec at first use. Supports only what this SDK declares: one payload as JSON or multipart, one success, and
 * `Schema.optionalKey` for optional parameters.
 */
import * as Context from "effect/Context"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as HttpMethod from "effect/http/HttpMethod"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

type Fields = Schema.Struct.Fields

/** The schemas of an endpoint, as they are declared. */
interface Options {
  readonly params?: Schema.Top | Fields
  readonly query?: Schema.Top | Fields
  readonly payload?: Schema.Top
  readonly success?: Schema.Top
  readonly error?: Schema.Top | ReadonlyArray<Schema.Top>
}

interface Declared extends Pipeable {
  readonly options: Options
  readonly annotations: Context.Context<never>
}

type Copy = Readonly<Record<string, unknown>>

/** Makes a copy with other properties. The copy inherits the getters, so that it makes its own codecs at first use. */
const withProperties = (self: object, properties: Copy): object => Object.assign(Object.create(self), properties)

/** Replaces a getter with its value. */
const keep = <A>(self: object, name: string, value: A): A => {
  Object.defineProperty(self, name, { value, configurable: true, enumerable: true })
  return value
}

const pipe = function (this: Pipeable) {
  // oxlint-disable-next-line prefer-rest-params -- Effect's helper takes them.
  return pipeArguments(this, arguments)
}

const annotatable = {
  annotate(this: Declared, key: Context.Key<unknown, unknown>, value: unknown) {
    return withProperties(this, { annotations: Context.add(this.annotations, key, value) })
  },
  annotateMerge(this: Declared, annotations: Context.Context<never>) {
    return withProperties(this, { annotations: Context.merge(this.annotations, annotations) })
  },
  prefix(this: Declared & { readonly path: string }, prefix: string) {
    return withProperties(this, { path: prefix + this.path })
  },
  middleware(this: Declared & { readonly middlewares: ReadonlySet<unknown> }, key: unknown) {
    return withProperties(this, { middlewares: new Set([...this.middlewares, key]) })
  },
  pipe
}

const toStringTree = (schema: Schema.Top | Fields | undefined): Schema.Top | undefined =>
  schema && Schema.toCodecStringTree(Schema.isSchema(schema) ? schema : Schema.Struct(schema))

interface Encoding {
  readonly _tag: "Json" | "Multipart"
  readonly contentType: string
}

const json: Encoding = { _tag: "Json", contentType: "application/json" }
const encodingKey = "~httpApiEncoding"

const endpointId = "~effect/http-api/HttpApiEndpoint"

const endpointPrototype: object = Object.create(
  null,
  Object.getOwnPropertyDescriptors({
    ...annotatable,
    [endpointId]: endpointId,
    headers: undefined,
    middlewares: new Set(),
    disableCodecs: false,
    get params() {
      return keep(this, "params", toStringTree((this as unknown as Declared).options.params))
    },
    get query() {
      return keep(this, "query", toStringTree((this as unknown as Declared).options.query))
    },
    get payload() {
      const { payload } = (this as unknown as Declared).options
      const encoding = payload && (SchemaAST.resolveAt<Encoding>(encodingKey)(payload.ast) ?? json)
      const schema = encoding?._tag === "Json" ? Schema.toCodecJson(payload!) : payload
      return keep(this, "payload", new Map(encoding && [[encoding.contentType, { encoding, schemas: [schema] }]]))
    },
    get success() {
      const { success } = (this as unknown as Declared).options
      return keep(this, "success", new Set(success && [Schema.toCodecJson(success)]))
    },
    get error() {
      const { error = [] } = (this as unknown as Declared).options
      return keep(this, "error", new Set([error].flat().map((schema) => Schema.toCodecJson(schema))))
    }
  })
)

const makeEndpoint =
  (method: HttpMethod.HttpMethod) =>
  (identifier: string, path: string, options: Options = {}) =>
    withProperties(endpointPrototype, { identifier, method, path, options, annotations: Context.empty() })

/** Declares an endpoint, as `HttpApiEndpoint.get` does. */
export const get = makeEndpoint("GET") as unknown as typeof HttpApiEndpoint.get

/** Declares an endpoint, as `HttpApiEndpoint.post` does. */
export const post = makeEndpoint("POST") as unknown as typeof HttpApiEndpoint.post

/** Declares an endpoint, as `HttpApiEndpoint.put` does. */
export const put = makeEndpoint("PUT") as unknown as typeof HttpApiEndpoint.put

/** Sets the HTTP status of an answer, as `HttpApiSchema.status` does. */
export const status =
  (code: number) =>
  <S extends Schema.Top>(self: S): S["Rebuild"] =>
    self.annotateKey({ httpApiStatus: code })

/** Sends a payload as `multipart/form-data`, as `HttpApiSchema.asMultipart` does. */
export const asMultipart = (() => (self: Schema.Top) =>
  self.annotate({
    [encodingKey]: { _tag: "Multipart", mode: "buffered", contentType: "multipart/form-data", limits: undefined }
  })) as unknown as typeof HttpApiSchema.asMultipart

interface Named {
  readonly identifier: string
}

type Members = Readonly<Record<string, object>>

const mapMembers = (members: Members, change: (member: any) => object): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]))

const addMembers = (members: Members, more: ReadonlyArray<Named>): Members => ({
  ...members,
  ...Object.fromEntries(more.map((one) => [one.identifier, one]))
})

/** Makes a function with static properties, so that a class can extend a group or an API to give its type a name. */
const makeClass = (prototype: object, properties: Copy): object => {
  const Class = function () {}
  return Object.assign(Object.setPrototypeOf(Class, prototype), properties)
}

const groupId = "~effect/http-api/HttpApiGroup"

interface Group extends Pick<Declared, "annotations">, Named {
  readonly endpoints: Members
}

const makeGroup = ({ annotations, endpoints, identifier }: Group): object =>
  makeClass(groupPrototype, {
    identifier,
    endpoints,
    annotations,
    key: `effect/http-api/HttpApiGroup/${identifier}`
  })

const groupPrototype: object = {
  [groupId]: groupId,
  topLevel: false,
  pipe,
  add(this: Group, ...more: ReadonlyArray<Named>) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, annotations, endpoints: addMembers(endpoints, more) })
  },
  annotate(this: Group, key: Context.Key<unknown, unknown>, value: unknown) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, endpoints, annotations: Context.add(annotations, key, value) })
  },
  annotateMerge(this: Group, more: Context.Context<never>) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, endpoints, annotations: Context.merge(annotations, more) })
  },
  prefix(this: Group, path: string) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, annotations, endpoints: mapMembers(endpoints, (one) => one.prefix(path)) })
  },
  middleware(this: Group, key: unknown) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, annotations, endpoints: mapMembers(endpoints, (one) => one.middleware(key)) })
  },
  annotateEndpoints(this: Group, key: unknown, value: unknown) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, annotations, endpoints: mapMembers(endpoints, (one) => one.annotate(key, value)) })
  },
  annotateEndpointsMerge(this: Group, more: unknown) {
    const { annotations, endpoints, identifier } = this
    return makeGroup({ identifier, annotations, endpoints: mapMembers(endpoints, (one) => one.annotateMerge(more)) })
  }
}

/** Makes a group, as `HttpApiGroup.make` does. */
export const group = ((identifier: string) =>
  makeGroup({ identifier, endpoints: {}, annotations: Context.empty() })) as unknown as typeof HttpApiGroup.make

const apiId = "~effect/http-api/HttpApi"

interface Api extends Pick<Declared, "annotations">, Named {
  readonly groups: Members
}

const makeApi = ({ annotations, groups, identifier }: Api): object =>
  makeClass(apiPrototype, { identifier, groups, annotations })

const apiPrototype: object = {
  [apiId]: apiId,
  pipe,
  add(this: Api, ...more: ReadonlyArray<Named>) {
    const { annotations, groups, identifier } = this
    return makeApi({ identifier, annotations, groups: addMembers(groups, more) })
  },
  addHttpApi(this: Api, other: Api) {
    const { annotations, groups, identifier } = this
    const added = mapMembers(other.groups, (one) =>
      one.annotateMerge(Context.merge(other.annotations, one.annotations))
    )
    return makeApi({ identifier, annotations, groups: { ...groups, ...added } })
  },
  annotate(this: Api, key: Context.Key<unknown, unknown>, value: unknown) {
    const { annotations, groups, identifier } = this
    return makeApi({ identifier, groups, annotations: Context.add(annotations, key, value) })
  },
  annotateMerge(this: Api, more: Context.Context<never>) {
    const { annotations, groups, identifier } = this
    return makeApi({ identifier, groups, annotations: Context.merge(annotations, more) })
  },
  prefix(this: Api, path: string) {
    const { annotations, groups, identifier } = this
    return makeApi({ identifier, annotations, groups: mapMembers(groups, (one) => one.prefix(path)) })
  },
  middleware(this: Api, key: unknown) {
    const { annotations, groups, identifier } = this
    return makeApi({ identifier, annotations, groups: mapMembers(groups, (one) => one.middleware(key)) })
  }
}

/** Makes an API, as `HttpApi.make` does. */
export const api = ((identifier: string) =>
  makeApi({ identifier, groups: {}, annotations: Context.empty() })) as unknown as typeof HttpApi.make

/** Makes annotations for an OpenAPI document. The name `Title` stands for Effect's service `OpenApi.Title`, and so on. */
export const openApi = (
  annotations: Readonly<Partial<Record<"Title" | "Version" | "Description" | "Servers" | "Transform", unknown>>>
): Context.Context<never> =>
  Object.entries(annotations).reduce<Context.Context<never>>(
    (context, [name, value]) =>
      Context.add(context, Context.Service<never, unknown>(`effect/http-api/OpenApi/${name}`), value),
    Context.empty()
  )
