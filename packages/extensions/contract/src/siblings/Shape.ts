/**
 * The shape of an endpoint's fields: what its input and its payload have. An adapter writes and
 * reads by it. Pure.
 *
 * @siblings `cli` compares answers with their shape.
 */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** A value that is neither a record nor a list. */
export interface Leaf {
  readonly _tag: "Leaf"
  /** The known values, if the field is an enumeration. */
  readonly known: ReadonlyArray<string>
}

export interface RecordShape {
  readonly _tag: "Record"
  readonly fields: ReadonlyMap<string, Shape>
}

export interface ListShape {
  readonly _tag: "List"
  readonly item: Shape
}

export type Shape = Leaf | RecordShape | ListShape

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
  if (item !== undefined) return { _tag: "List", item: makeShape(item) }
  const object = getObject(ast)
  if (object === undefined) return { _tag: "Leaf", known: getKnown(ast) }
  return {
    _tag: "Record",
    fields: new Map(object.propertySignatures.map(({ name, type }) => [String(name), makeShape(type)]))
  }
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

/** Finds the record in an answer. In a list, the record is the list's item. */
export const getRecord = (payload: Shape): RecordShape | undefined =>
  payload._tag === "Record" ? payload : payload._tag === "List" ? getRecord(payload.item) : undefined
