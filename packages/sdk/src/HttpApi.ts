/**
 * The API as Effect's `HttpApi`, for an OpenAPI document or a server. The only module that loads Effect's HttpApi.
 *
 * @since 0.1.0
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as EffectHttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { CustodyApi } from "./CustodyApi.ts"
import { annotations } from "./internal/openApi.ts"

/** The error body of the specification. */
const Body = Schema.Struct({
  status: Schema.Int,
  message: Schema.String,
  errors: Schema.Record(Schema.String, Schema.Unknown),
  code: Schema.String
})

const statusOf = (tag: ApiError.Tag): number => {
  switch (tag) {
    case "RateLimited":
      return 429
    case "OtherApiError":
      return 500
    case "NotFound":
      return 404
    default:
      return ApiError.answers[ApiError.codes[tag][0]].status
  }
}

const errorBody = (errorClass: ApiError.ErrorClass): Schema.Top => {
  const tag = ApiError.tagOf(errorClass) as ApiError.Tag
  return Body.pipe(
    Schema.decodeTo(
      Schema.toType(errorClass).annotate({ identifier: tag }) as unknown as Schema.Codec<ApiError.ApiError>,
      SchemaTransformation.transform({
        decode: ({ message, ...body }: typeof Body.Type): ApiError.ApiError =>
          new (errorClass as unknown as new (fields: object) => ApiError.ApiError)({
            operation: "",
            summary: message,
            ...body
          }),
        encode: ({ code, errors, status, summary }: ApiError.ApiError) => ({
          status,
          message: summary,
          errors,
          code: code ?? ""
        })
      })
    ),
    HttpApiSchema.status(statusOf(tag))
  ).annotate({ title: tag })
}

const constructors = {
  GET: HttpApiEndpoint.get,
  POST: HttpApiEndpoint.post,
  PUT: HttpApiEndpoint.put,
  PATCH: HttpApiEndpoint.patch,
  DELETE: HttpApiEndpoint.delete
}

/** Makes the endpoint of a declaration with Effect's own constructors. */
const endpoint = (declaration: Declaration.Declaration): HttpApiEndpoint.Top => {
  const { isMultipart, operation, params, query, refusals, route, status } = declaration
  const make = constructors[route.method as keyof typeof constructors] as unknown as (
    name: string,
    path: string,
    options: object
  ) => HttpApiEndpoint.Top
  const body = Declaration.body(declaration)
  return make(operation.slice(operation.indexOf(".") + 1), route.path, {
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(body === undefined ? {} : { payload: isMultipart ? body.pipe(HttpApiSchema.asMultipart()) : body }),
    success: Declaration.envelope(declaration).pipe(HttpApiSchema.status(status)),
    error: [
      ...refusals.filter((one) => one !== ApiError.NotFound),
      ...ApiError.ofEvery,
      ...refusals.filter((one) => one === ApiError.NotFound)
    ].map(errorBody)
  })
}

/** Makes the group of a category. */
const group = (name: string, endpoints: Readonly<Record<string, Declaration.Declaration>>): HttpApiGroup.Top =>
  HttpApiGroup.make(name).add(...(Object.values(endpoints).map(endpoint) as [any])) as unknown as HttpApiGroup.Top

/**
 * All ten categories as one `HttpApi`, in the order of the specification.
 *
 * @example
 * ```ts
 * import { HttpApi } from "@effect-custody/sdk/HttpApi"
 * import { OpenApi } from "effect/http-api"
 *
 * const document = OpenApi.fromApi(HttpApi)
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const HttpApi = EffectHttpApi.make("custody")
  .add(...(Object.entries(CustodyApi.categories).map(([name, endpoints]) => group(name, endpoints)) as [any]))
  .annotateMerge(annotations(CustodyApi.operations))
