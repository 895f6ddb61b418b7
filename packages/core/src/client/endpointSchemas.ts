/** The schemas of an endpoint's values, not of its wire format. They encode a value as JSON without loss. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as EndpointSpec from "../endpoint/EndpointSpec.ts"
import { isDefined } from "../endpoint/input.ts"
import * as Sdk from "../errors/SdkError.ts"
import * as Session from "../errors/SessionError.ts"
import { Meta } from "../paging/pageModel.ts"

type Codec = Schema.Codec<unknown, Schema.Json>

/** Makes the codec between the decoded side of a schema and JSON. */
const toJson = (schema: Schema.Top): Codec => Schema.toCodecJson(Schema.toType(schema)) as Codec

const fields = (schema: Schema.Top | undefined): Record<string, Schema.Top> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? Object.fromEntries(schema.ast.propertySignatures.map(({ name, type }) => [name, Schema.make(type)]))
    : {}

/** Lets an optional field be `undefined`. The JSON then lacks the field. */
const orUndefined = (field: Codec): Schema.Top =>
  SchemaAST.isOptional(field.ast) && !isDefined(field.ast)
    ? field.pipe(
        Schema.decodeTo(Schema.optional(Schema.toType(field)), {
          decode: SchemaGetter.passthrough<unknown>(),
          encode: SchemaGetter.transformOptional<unknown, unknown>(Option.filter(Predicate.isNotUndefined))
        })
      )
    : field

/** Makes the schema of an input: path parameters, query and body in one object. */
export const input = (contract: EndpointSpec.Any): Schema.Top => {
  const { params, payload, query } = EndpointSpec.parts(contract)
  const all = { ...fields(params), ...fields(query), ...fields(payload?.schema) }
  return Schema.Struct(
    Object.fromEntries(Object.entries(all).map(([name, field]) => [name, orUndefined(toJson(field))]))
  )
}

const getData = (contract: EndpointSpec.Any): Schema.Top => fields(EndpointSpec.parts(contract).success)["data"]!

export const payload = (contract: EndpointSpec.Any): Codec => toJson(getData(contract))

export const page = (contract: EndpointSpec.Any): Codec =>
  toJson(
    Schema.Struct({
      items: getData(contract),
      meta: Schema.UndefinedOr(Meta),
      nextCursor: Schema.optionalKey(Schema.String)
    })
  )

const NotSent = Schema.toType(Sdk.TransportError).pipe(
  Schema.check(Schema.makeFilter(({ phase }: Sdk.TransportError) => phase === "NotSent")),
  Schema.annotate({ identifier: "@effect-custody/core/SdkError/NotSent" })
)

/** Makes the schema of the errors in the type `Endpoint.Failure`. */
export const errors = (contract: EndpointSpec.Any): Codec => {
  const isRead = contract.safety === "read"
  const { errors: declared, params, payload, query } = EndpointSpec.parts(contract)
  const hasInput = [params, query, payload?.schema].some((schema) => Object.keys(fields(schema)).length > 0)
  return toJson(
    Schema.Union<ReadonlyArray<Schema.Top>>([
      ...declared.map((error) => Schema.toType(error)),
      ...(isRead ? [Sdk.TransportError, Sdk.UnexpectedResponse] : [NotSent, Sdk.OutcomeUnknown]),
      ...(hasInput ? [Sdk.RequestInvalid] : []),
      ...(contract.provenance === "specified" ? [] : [Sdk.UnconfirmedEndpoint]),
      ...(contract.safety === "session"
        ? []
        : [
            Session.NoSession,
            Session.SessionLost,
            Session.SessionAmbiguous,
            Session.RefreshUnavailable,
            Session.StoredSessionInvalid,
            Session.SessionOfAnotherEnvironment,
            Session.TokenStoreError
          ])
    ])
  )
}
