/** The contracts of the API by operation, and their decoded schemas. */
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Operation from "@effect-custody/core/unstable/Operation"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { functions, type Name } from "../Operations.ts"

/** Finds an operation by its name. */
export const findOperation = (name: string): Operation.Operation<unknown, unknown> | undefined => {
  const endpoint = functions.get(name)
  return endpoint === undefined ? undefined : Operation.of(endpoint)
}

const parts = (name: Name): EndpointSpec.Parts => EndpointSpec.parts(functions.get(name)!.contract)

/** The envelope of an operation's success. */
export const envelopeSchema = (name: Name): Schema.Top => parts(name).success

/** The decoded fields of the envelope. */
const envelopeFields = (name: Name): ReadonlyArray<SchemaAST.PropertySignature> => {
  const ast = SchemaAST.toType(envelopeSchema(name).ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures : []
}

/** `true` for an operation that returns pages. */
export const isList = (name: Name): boolean => envelopeFields(name).some((field) => field.name === "meta")

/** The decoded type of `data`. */
export const dataType = (name: Name): SchemaAST.AST => envelopeFields(name).find((field) => field.name === "data")!.type

/** The decoded type of `data`, or of its items. */
export const recordType = (name: Name): SchemaAST.AST => {
  const data = dataType(name)
  return SchemaAST.isArrays(data) ? data.rest[0]! : data
}

/** The decoded input fields of an operation. */
export const inputFields = (name: Name): ReadonlyArray<SchemaAST.PropertySignature> => {
  const { params, payload, query } = parts(name)
  return [params, query, payload?.schema].flatMap((schema: Schema.Top | undefined) => {
    if (schema === undefined) return []
    const ast = SchemaAST.toType(schema.ast)
    return SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  })
}
