/** What our JSON of an operation looks like, read from the schemas of its contract. Pure. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as EndpointSpec from "./EndpointSpec.ts"
import type { FieldNames } from "./Operation.ts"
import type { Route } from "./Wires.ts"

/** What a value is, where services write it in different ways. */
export type Kind = "amount" | "id" | "time" | "object" | "other"

/** A value without named fields. */
export interface Leaf {
  readonly _tag: "Leaf"
  readonly kind: Kind
  /** Its known values, if it is one of a set. */
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

/** A field of an input, and the part of the request in which it is assumed to go. */
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
  /** Whether its answer promises something, so that one without a payload cannot be read. */
  readonly needsPayload: boolean
  /** Whether it takes `page` and `limit`. */
  readonly isPaged: boolean
}

const leaf = (kind: Kind, known: ReadonlyArray<string> = []): Leaf => ({ _tag: "Leaf", kind, known })

/** What a codec encodes to. */
const innermost = (ast: SchemaAST.AST): SchemaAST.AST => {
  const link = ast.encoding?.at(-1)
  return link === undefined ? ast : innermost(link.to)
}

const isDeclared = (ast: SchemaAST.AST, expected: string): boolean =>
  SchemaAST.isDeclaration(ast) && ast.annotations?.["expected"] === expected

const kindOf = (ast: SchemaAST.AST): Kind => {
  if (isDeclared(ast, "BigDecimal")) return "amount"
  const encoded = innermost(ast)
  if (SchemaAST.resolveAt("format")(encoded) === "date-time") return "time"
  // An identifier in an answer is a text or a number; one in an input has its brand as its title.
  if (SchemaAST.isUnion(encoded) && encoded.types.some(SchemaAST.isNumber) && encoded.types.some(SchemaAST.isString)) {
    return "id"
  }
  return SchemaAST.resolveAt<string>("title")(ast)?.endsWith("Id") === true ? "id" : "other"
}

const knownOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const listed = SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(ast)
  if (listed !== undefined) return listed
  return SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map(({ literal }) => String(literal))
    : []
}

/** The object that a codec encodes to, with the codecs of its fields. */
const fieldsOf = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  const encoded = innermost(ast)
  return SchemaAST.isObjects(encoded) && encoded.propertySignatures.length > 0 ? encoded : undefined
}

const shapeOf = (ast: SchemaAST.AST): Shape => {
  const kind = kindOf(ast)
  if (kind !== "other") return leaf(kind)
  const encoded = innermost(ast)
  const [item] = SchemaAST.isArrays(encoded) ? encoded.rest : []
  if (item !== undefined) return { _tag: "List", item: shapeOf(item) }
  const object = fieldsOf(ast)
  if (object === undefined) return SchemaAST.isObjects(encoded) ? leaf("object") : leaf("other", knownOf(ast))
  return {
    _tag: "Record",
    fields: new Map(object.propertySignatures.map(({ name, type }) => [String(name), shapeOf(type)]))
  }
}

const inputOf = (schema: Schema.Top | undefined, part: Part): ReadonlyArray<readonly [string, InputField]> => {
  const object = schema === undefined ? undefined : fieldsOf(schema.ast)
  return (object?.propertySignatures ?? []).map(({ name, type }) => [
    String(name),
    { part, shape: shapeOf(type), isOptional: SchemaAST.isOptional(type) }
  ])
}

const dataOf = (envelope: Schema.Top): SchemaAST.AST | undefined =>
  fieldsOf(envelope.ast)?.propertySignatures.find(({ name }) => name === "data")?.type

export const isList = (envelope: Schema.Top): boolean => {
  const data = dataOf(envelope)
  return data !== undefined && SchemaAST.isArrays(innermost(data))
}

/** Whether an operation's answer promises something: an id, or the list of what a change has made. */
export const needsPayload = (envelope: Schema.Top, safety: EndpointSpec.Safety): boolean => {
  const data = dataOf(envelope)
  const encoded = data === undefined ? undefined : innermost(data)
  if (encoded === undefined) return false
  if (SchemaAST.isArrays(encoded)) return safety !== "read"
  return !SchemaAST.isObjects(encoded) || encoded.propertySignatures.some(({ type }) => !SchemaAST.isOptional(type))
}

export const make = (operation: string, contract: EndpointSpec.Any): OperationShape => {
  const { method, params, path, payload, query, success } = EndpointSpec.parts(contract)
  const data = dataOf(success)
  const input = new Map([...inputOf(params, "path"), ...inputOf(query, "query"), ...inputOf(payload?.schema, "body")])
  return {
    operation,
    route: { method, path },
    safety: contract.safety,
    input,
    body: payload === undefined ? "None" : payload.isMultipart ? "Multipart" : "Json",
    payload: data === undefined ? leaf("other") : shapeOf(data),
    needsPayload: needsPayload(success, contract.safety),
    isPaged: input.get("page")?.part === "query" && input.get("limit")?.part === "query"
  }
}

/** The fields of a record by name, each with those of the record that it holds. */
const namesOf = (shape: Shape): FieldNames =>
  new Map([...(recordOf(shape)?.fields ?? [])].map(([name, field]) => [name, namesOf(field)]))

/** The fields of the record that an answer holds, or of each record of a list. */
export const fieldNames = (envelope: Schema.Top): FieldNames => {
  const data = dataOf(envelope)
  return data === undefined ? new Map() : namesOf(shapeOf(data))
}

/** The record that an answer holds, or a list of. */
export const recordOf = (payload: Shape): RecordShape | undefined =>
  payload._tag === "Record" ? payload : payload._tag === "List" ? recordOf(payload.item) : undefined
