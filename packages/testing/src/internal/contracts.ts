/** The contracts of the API by operation, and their decoded schemas. */
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Operation from "@effect-custody/core/unstable/Operation"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { functions, type Name } from "../Operations.ts"

/** The operation of a name. */
export const operationOf = (name: string): Operation.Operation<unknown, unknown> | undefined => {
  const endpoint = functions.get(name)
  return endpoint === undefined ? undefined : Operation.of(endpoint)
}

const parts = (name: Name): EndpointSpec.Parts => EndpointSpec.parts(functions.get(name)!.contract)

/** The envelope of an operation's success. */
export const envelopeOf = (name: Name): Schema.Top => parts(name).success

/** The decoded fields of the envelope. */
const envelopeFields = (name: Name): ReadonlyArray<SchemaAST.PropertySignature> => {
  const ast = SchemaAST.toType(envelopeOf(name).ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures : []
}

/** Whether an operation returns pages. */
export const isList = (name: Name): boolean => envelopeFields(name).some((field) => field.name === "meta")

/** The decoded type of `data`. */
export const dataOf = (name: Name): SchemaAST.AST => envelopeFields(name).find((field) => field.name === "data")!.type

/** The decoded type of `data`, or of its items. */
export const recordOf = (name: Name): SchemaAST.AST => {
  const data = dataOf(name)
  return SchemaAST.isArrays(data) ? data.rest[0]! : data
}

/** The decoded input fields of an operation. */
export const inputOf = (name: Name): ReadonlyArray<SchemaAST.PropertySignature> => {
  const { params, payload, query } = parts(name)
  return [params, query, payload?.schema].flatMap((schema: Schema.Top | undefined) => {
    if (schema === undefined) return []
    const ast = SchemaAST.toType(schema.ast)
    return SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  })
}
