/**
 * The fields of an endpoint's input and payload, with the kind of each value, read from its declaration. Pure.
 *
 * @stability unstable
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Kind from "../values/kind.ts"
import * as Declaration from "./Declaration.ts"

/** A value that is neither a record nor a list. */
export interface Leaf {
  readonly _tag: "Leaf"
  readonly kind: Kind.Kind | "object" | "other"
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

/** The names of a record's fields. Each name leads to the names of the fields inside that field. */
export interface FieldNames extends ReadonlyMap<string, FieldNames> {}

const leaf = (kind: Leaf["kind"], known: ReadonlyArray<string> = []): Leaf => ({ _tag: "Leaf", kind, known })

/** Finds the type that a codec encodes to. */
const encodedType = (ast: SchemaAST.AST): SchemaAST.AST => {
  const link = ast.encoding?.at(-1)
  return link === undefined ? ast : encodedType(link.to)
}

const getKnown = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(ast) ??
  (SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map(({ literal }) => String(literal))
    : [])

/** Finds the object that a codec encodes to, with the codecs of its fields. */
const getObject = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  const encoded = encodedType(ast)
  return SchemaAST.isObjects(encoded) && encoded.propertySignatures.length > 0 ? encoded : undefined
}

const makeShape = (ast: SchemaAST.AST): Shape => {
  const kind = Kind.of(ast)
  if (kind !== undefined) return leaf(kind)
  const encoded = encodedType(ast)
  const [item] = SchemaAST.isArrays(encoded) ? encoded.rest : []
  if (item !== undefined) return { _tag: "List", item: makeShape(item) }
  const object = getObject(ast)
  if (object === undefined) return SchemaAST.isObjects(encoded) ? leaf("object") : leaf("other", getKnown(ast))
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

/** `true` if the input has `page` and `limit`. */
export const isPaged = ({ query }: Declaration.Declaration): boolean => "page" in query && "limit" in query

/** `true` if the payload is a list, with or without pages. */
export const isList = (declaration: Declaration.Declaration): boolean =>
  SchemaAST.isArrays(encodedType(Declaration.codecs(declaration).data.ast))

/**
 * `true` if a success must have a payload. A record must be there if one of its fields is required, such as its id. A
 * write must return the list of the records that it created.
 */
export const needsPayload = (declaration: Declaration.Declaration): boolean => {
  const encoded = encodedType(Declaration.codecs(declaration).data.ast)
  if (SchemaAST.isArrays(encoded)) return declaration.safety !== "read"
  return !SchemaAST.isObjects(encoded) || encoded.propertySignatures.some(({ type }) => !SchemaAST.isOptional(type))
}

/** Finds the record in an answer. In a list, the record is the list's item. */
export const getRecord = (payload: Shape): RecordShape | undefined =>
  payload._tag === "Record" ? payload : payload._tag === "List" ? getRecord(payload.item) : undefined

const getNames = (shape: Shape): FieldNames =>
  new Map([...(getRecord(shape)?.fields ?? [])].map(([name, field]) => [name, getNames(field)]))

/** Lists the names of the fields of an answer's record. If the answer is a list, the record is the list's item. */
export const fieldNames = (declaration: Declaration.Declaration): FieldNames => getNames(payload(declaration))
