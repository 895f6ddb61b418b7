/** Derives the shape of an operation's JSON from the schemas of its contract. Pure. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as EndpointSpec from "./EndpointSpec.ts"
import type { FieldNames } from "./Operation.ts"
import type { Route } from "./Wires.ts"

/** The kind of a value. Services write amounts, ids and times in different ways. */
export type Kind = "amount" | "id" | "time" | "object" | "other"

/** A value that is neither a record nor a list. */
export interface Leaf {
  readonly _tag: "Leaf"
  readonly kind: Kind
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

export interface OperationShape {
  readonly operation: string
  readonly route: Route
  readonly safety: EndpointSpec.Safety
  readonly input: ReadonlyMap<string, InputField>
  readonly body: "None" | "Json" | "Multipart"
  readonly payload: Shape
  /** `true` if a success must have a payload: {@link needsPayload}. */
  readonly needsPayload: boolean
  /** `true` if the input has `page` and `limit`. */
  readonly isPaged: boolean
}

const leaf = (kind: Kind, known: ReadonlyArray<string> = []): Leaf => ({ _tag: "Leaf", kind, known })

/** Finds the type that a codec encodes to. */
const encodedType = (ast: SchemaAST.AST): SchemaAST.AST => {
  const link = ast.encoding?.at(-1)
  return link === undefined ? ast : encodedType(link.to)
}

const isDeclared = (ast: SchemaAST.AST, expected: string): boolean =>
  SchemaAST.isDeclaration(ast) && ast.annotations?.["expected"] === expected

const getKind = (ast: SchemaAST.AST): Kind => {
  if (isDeclared(ast, "BigDecimal")) return "amount"
  const encoded = encodedType(ast)
  if (SchemaAST.resolveAt("format")(encoded) === "date-time") return "time"
  // The schema of an answer's identifier accepts a text and a number. The schema of an input's identifier has the
  // identifier's brand, such as `WalletId`, as its title.
  if (SchemaAST.isUnion(encoded) && encoded.types.some(SchemaAST.isNumber) && encoded.types.some(SchemaAST.isString)) {
    return "id"
  }
  return SchemaAST.resolveAt<string>("title")(ast)?.endsWith("Id") === true ? "id" : "other"
}

const getKnown = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const listed = SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(ast)
  if (listed !== undefined) return listed
  return SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map(({ literal }) => String(literal))
    : []
}

/** Finds the object that a codec encodes to, with the codecs of its fields. */
const getObject = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  const encoded = encodedType(ast)
  return SchemaAST.isObjects(encoded) && encoded.propertySignatures.length > 0 ? encoded : undefined
}

const makeShape = (ast: SchemaAST.AST): Shape => {
  const kind = getKind(ast)
  if (kind !== "other") return leaf(kind)
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

const inputFields = (schema: Schema.Top | undefined, part: Part): ReadonlyArray<readonly [string, InputField]> => {
  const object = schema === undefined ? undefined : getObject(schema.ast)
  return (object?.propertySignatures ?? []).map(({ name, type }) => [
    String(name),
    { part, shape: makeShape(type), isOptional: SchemaAST.isOptional(type) }
  ])
}

const getData = (envelope: Schema.Top): SchemaAST.AST | undefined =>
  getObject(envelope.ast)?.propertySignatures.find(({ name }) => name === "data")?.type

export const isList = (envelope: Schema.Top): boolean => {
  const data = getData(envelope)
  return data !== undefined && SchemaAST.isArrays(encodedType(data))
}

/**
 * `true` if a success must have a payload. A record must be there if one of its fields is required, such as its id. A
 * write must return the list of the records that it created.
 */
export const needsPayload = (envelope: Schema.Top, safety: EndpointSpec.Safety): boolean => {
  const data = getData(envelope)
  const encoded = data === undefined ? undefined : encodedType(data)
  if (encoded === undefined) return false
  if (SchemaAST.isArrays(encoded)) return safety !== "read"
  return !SchemaAST.isObjects(encoded) || encoded.propertySignatures.some(({ type }) => !SchemaAST.isOptional(type))
}

export const make = (operation: string, contract: EndpointSpec.Any): OperationShape => {
  const { method, params, path, payload, query, success } = EndpointSpec.parts(contract)
  const data = getData(success)
  const input = new Map([
    ...inputFields(params, "path"),
    ...inputFields(query, "query"),
    ...inputFields(payload?.schema, "body")
  ])
  return {
    operation,
    route: { method, path },
    safety: contract.safety,
    input,
    body: payload === undefined ? "None" : payload.isMultipart ? "Multipart" : "Json",
    payload: data === undefined ? leaf("other") : makeShape(data),
    needsPayload: needsPayload(success, contract.safety),
    isPaged: input.get("page")?.part === "query" && input.get("limit")?.part === "query"
  }
}

/** Lists the names of a record's fields, and of the fields inside each field. */
const getNames = (shape: Shape): FieldNames =>
  new Map([...(getRecord(shape)?.fields ?? [])].map(([name, field]) => [name, getNames(field)]))

/** Lists the names of the fields of an answer's record. If the answer is a list, the record is the list's item. */
export const fieldNames = (envelope: Schema.Top): FieldNames => {
  const data = getData(envelope)
  return data === undefined ? new Map() : getNames(makeShape(data))
}

/** Finds the record in an answer. In a list, the record is the list's item. */
export const getRecord = (payload: Shape): RecordShape | undefined =>
  payload._tag === "Record" ? payload : payload._tag === "List" ? getRecord(payload.item) : undefined
