/**
 * The shape of an endpoint's fields: what its input and its payload have. By it, an assumed endpoint renames keys. Pure.
 *
 * @siblings `cli` compares answers with their shape.
 */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The shape of a value, or of the values of a list. */
export interface Shape {
  /** The fields of a record; `undefined` if the value is not a record. */
  readonly fields: ReadonlyMap<string, Shape> | undefined
  readonly isList: boolean
  /** The known values, if the field is an enumeration. */
  readonly known: ReadonlyArray<string>
}

export type Part = "path" | "query" | "body"

/** A field of an input, and the part of the request (path, query or body) in which the assumed wire sends the field. */
export interface InputField {
  readonly part: Part
  readonly shape: Shape
  readonly isOptional: boolean
}

const getKnown = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(ast) ??
  (SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map(({ literal }) => String(literal))
    : [])

/** Finds the object that a codec encodes to, with the codecs of its fields. */
const getObject = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  const encoded = Declaration.encodedType(ast)
  return SchemaAST.isObjects(encoded) && encoded.propertySignatures.length > 0 ? encoded : undefined
}

const makeShape = (ast: SchemaAST.AST): Shape => {
  const encoded = Declaration.encodedType(ast)
  const [item] = SchemaAST.isArrays(encoded) ? encoded.rest : []
  if (item !== undefined) return { ...makeShape(item), isList: true }
  const fields = getObject(ast)?.propertySignatures.map(({ name, type }) => [String(name), makeShape(type)] as const)
  return { fields: fields && new Map(fields), isList: false, known: fields === undefined ? getKnown(ast) : [] }
}

const inputFields = (schema: Schema.Top | undefined, part: Part): ReadonlyArray<readonly [string, InputField]> =>
  ((schema && getObject(schema.ast))?.propertySignatures ?? []).map(({ name, type }) => [
    String(name),
    { part, shape: makeShape(type), isOptional: SchemaAST.isOptional(type) }
  ])

export const input = (declaration: Declaration.Declaration): ReadonlyMap<string, InputField> => {
  const { params, payload, query } = Declaration.codecs(declaration)
  return new Map([...inputFields(params, "path"), ...inputFields(query, "query"), ...inputFields(payload, "body")])
}

export const payload = (declaration: Declaration.Declaration): Shape =>
  makeShape(Declaration.codecs(declaration).data.ast)
