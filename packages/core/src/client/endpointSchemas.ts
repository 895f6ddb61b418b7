/** The schemas of an endpoint's values, not of its wire format. They encode a value as JSON without loss. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Declaration from "../endpoint/Declaration.ts"
import { isDefined } from "../endpoint/input.ts"
import { ofEvery } from "../errors/ApiError.ts"
import * as Sdk from "../errors/SdkError.ts"
import { sessionErrors } from "../errors/SessionError.ts"
import { Meta } from "../answer/pageModel.ts"

type Codec = Schema.Codec<unknown, Schema.Json>

/** Makes the codec between the decoded side of a schema and JSON. */
const toJson = (schema: Schema.Top): Codec => Schema.toCodecJson(Schema.toType(schema)) as Codec

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
export const input = (declaration: Declaration.Declaration): Schema.Top =>
  Schema.Struct(Record.map(Declaration.fields(declaration), (field) => orUndefined(toJson(field as Schema.Top))))

export const output = (declaration: Declaration.Declaration): Codec =>
  toJson(
    declaration.isList
      ? Schema.Struct({
          items: Declaration.data(declaration),
          meta: Schema.UndefinedOr(Meta),
          nextCursor: Schema.optionalKey(Schema.String),
          hasNext: Schema.optionalKey(Schema.Boolean)
        })
      : Declaration.data(declaration)
  )

/** Makes the schema of the errors in the endpoint's type. */
export const errors = (declaration: Declaration.Declaration): Codec => {
  const { provenance, refusals, safety } = declaration
  return toJson(
    Schema.Union<ReadonlyArray<Schema.Top>>([
      ...[...ofEvery, ...refusals].map((error) => Schema.toType(error)),
      ...(safety === "read" ? [Sdk.TransportError, Sdk.UnexpectedResponse] : [Sdk.NotSent, Sdk.OutcomeUnknown]),
      ...(safety === "read" && Object.keys(Declaration.fields(declaration)).length === 0 ? [] : [Sdk.InputInvalid]),
      ...(provenance === "specified" ? [] : [Sdk.UnconfirmedEndpoint]),
      ...(safety === "session" ? [] : sessionErrors)
    ])
  )
}
