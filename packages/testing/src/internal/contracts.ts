/** The endpoints of the API by operation, and their decoded schemas. */
import * as Declaration from "@effect-custody/core/unstable/Declaration"
import type * as Operation from "@effect-custody/core/unstable/Operation"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { functions, type Name } from "../Operations.ts"

/** Finds an operation by its name. */
export const findOperation = (name: string): Operation.Any | undefined => functions.get(name)

/** The envelope of an operation's success, as JSON. */
export const envelopeSchema = (name: Name): Schema.Top =>
  Schema.toCodecJson(Declaration.envelope(functions.get(name)!)) as unknown as Schema.Top

/** `true` for an operation that returns pages. */
export const isList = (name: Name): boolean => functions.get(name)!.isList

/** The decoded type of `data`. */
export const dataType = (name: Name): SchemaAST.AST =>
  SchemaAST.toType(Declaration.codecs(functions.get(name)!).data.ast)

/** The decoded type of `data`, or of its items. */
export const recordType = (name: Name): SchemaAST.AST => {
  const data = dataType(name)
  return SchemaAST.isArrays(data) ? data.rest[0]! : data
}

/** The decoded input fields of an operation. */
export const inputFields = (name: Name): ReadonlyArray<SchemaAST.PropertySignature> => {
  const ast = SchemaAST.toType(Schema.Struct(Declaration.fields(functions.get(name)!)).ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures : []
}
