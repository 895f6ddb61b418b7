/**
 * What our codecs say of themselves: a decoder for the usual content of answers without Schema's interpreter (texts, ids,
 * amounts, and records and lists of them). A decoder returns the same value as the codec, or `none`. After `none`, the
 * codec decodes the value, and describes a mistake in it.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The result if a decoder leaves the value to the codec, or if the codec cannot decode the value. */
export const none: unique symbol = Symbol.for("@effect-custody/core/FastDecoder/none")

/** Decodes a JSON value, or returns `none`. */
export type Decoder = (value: unknown) => unknown

const annotation = "custodyFastDecoder"

/** Adds a fast decoder to a codec. Adding a check to the codec afterwards drops the fast decoder. */
export const annotate = <S extends Schema.Top>(codec: S, decoder: Decoder): S["Rebuild"] =>
  codec.annotate({ [annotation]: decoder })

const decodeText: Decoder = (value) => (typeof value === "string" ? value : none)

/** Decodes a text that is not empty. */
export const decodeSomeText: Decoder = (value) => (typeof value === "string" && value !== "" ? value : none)

/** Decodes a field. Checks a text itself, because most fields are texts, and to call a decoder for each takes longer. */
const decodeField = (decode: Decoder, value: unknown): unknown => {
  if (value === null) return none
  if (typeof value === "string" && (decode === decodeText || (decode === decodeSomeText && value !== ""))) return value
  return decode(value)
}

const list =
  (item: Decoder): Decoder =>
  (value) => {
    if (!Array.isArray(value)) return none
    const items: Array<unknown> = []
    for (const one of value) {
      const decoded = item(one)
      if (decoded === none) return none
      items.push(decoded)
    }
    return items
  }

type Json = Readonly<Record<string, unknown>>

const isEqual = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean => {
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}

/**
 * Decodes an object each of whose fields has a decoder and fits it; otherwise returns `none`, and for a null. Leaves out an
 * undefined field, which JSON does not have, but the record of an adapter. Keeps what it knows of the last object, because
 * most records of a list have the same fields in the same order.
 */
const inOrder = (
  decoderOf: (name: string) => Decoder | undefined,
  required: ReadonlyArray<string>,
  rest: object
): ((fields: Json) => unknown) => {
  let names: ReadonlyArray<string> = []
  let decoders: ReadonlyArray<Decoder> | undefined
  /** Of the last object with undefined fields: the positions of the others, and an object that has these fields. */
  let held: ReadonlyArray<number> = []
  let empty: object | undefined

  const learnNames = (found: ReadonlyArray<string>): void => {
    const all = found.map(decoderOf)
    const isKnown = all.every(Predicate.isNotUndefined) && required.every((name) => found.includes(name))
    names = found
    decoders = isKnown ? (all as ReadonlyArray<Decoder>) : undefined
    held = []
    empty = undefined
  }
  const learnHeld = (values: ReadonlyArray<unknown>): void => {
    held = values.flatMap((value, at) => (value === undefined ? [] : [at]))
    const fields = Object.fromEntries(held.map((at) => [names[at]!, undefined]))
    empty = required.every((name) => Object.hasOwn(fields, name)) ? { ...fields, ...rest } : undefined
  }
  const isHeld = (values: ReadonlyArray<unknown>): boolean => {
    let nth = 0
    for (let at = 0; at < values.length; at++) if (values[at] !== undefined && held[nth++] !== at) return false
    return nth === held.length
  }
  const sparse = (values: ReadonlyArray<unknown>, decoders: ReadonlyArray<Decoder>): unknown => {
    if (!isHeld(values)) learnHeld(values)
    if (empty === undefined) return none
    const decoded: Record<string, unknown> = { ...empty }
    for (const at of held) {
      const value = values[at]
      const field = decodeField(decoders[at]!, value)
      if (field === none) return none
      decoded[names[at]!] = field
    }
    return decoded
  }
  const dense = (fields: Json, values: ReadonlyArray<unknown>, decoders: ReadonlyArray<Decoder>): unknown => {
    const decoded: Record<string, unknown> = { ...fields, ...rest }
    for (let at = 0; at < names.length; at++) {
      const value = values[at]
      const field = decodeField(decoders[at]!, value)
      if (field === none) return none
      if (field !== value) decoded[names[at]!] = field
    }
    return decoded
  }

  return (fields) => {
    const found = Object.keys(fields)
    if (!isEqual(found, names)) learnNames(found)
    if (decoders === undefined) return none
    const values = Object.values(fields)
    return values.includes(undefined) ? sparse(values, decoders) : dense(fields, values, decoders)
  }
}

/** Decodes the fields of a struct, and leaves out all others. Leaves it to the codec to fill in a field. */
const struct = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Decoder | undefined => {
  if (indexSignatures.length > 0 || propertySignatures.length === 0) return undefined
  const fields = propertySignatures.map(({ name, type }) => ({
    name,
    mayMiss: SchemaAST.isOptional(type) && type.encoding === undefined,
    decode: find(type) ?? make(Schema.make(type))
  }))
  const decoders = new Map(fields.map(({ decode, name }) => [name, decode]))
  const required = fields.flatMap(({ mayMiss, name }) => (mayMiss ? [] : [String(name)]))
  const whole = inOrder((name) => decoders.get(name), required, {})
  return (value) => {
    if (!Predicate.isReadonlyObject(value)) return none
    const found = whole(value)
    if (found !== none) return found
    const decoded: Record<PropertyKey, unknown> = {}
    for (const { decode, mayMiss, name } of fields) {
      if (Object.hasOwn(value, name)) {
        const field = decode(value[name as string])
        if (field === none) return none
        decoded[name] = field
      } else if (!mayMiss) return none
    }
    return decoded
  }
}

/** Finds the fast decoder of a type; `undefined` if there is none. */
const find = (ast: SchemaAST.AST): Decoder | undefined => {
  const own = SchemaAST.resolveAt<Decoder>(annotation)(ast)
  if (own !== undefined) return own
  if (ast.encoding !== undefined || ast.checks !== undefined) return undefined
  if (SchemaAST.isString(ast)) return decodeText
  if (SchemaAST.isObjects(ast)) return struct(ast)
  // What the first member decodes, the union decodes so. All else is left to the codec.
  if (SchemaAST.isUnion(ast)) {
    const [first] = ast.types
    return ast.options?.mode === "oneOf" || first === undefined ? undefined : find(first)
  }
  const [item] = SchemaAST.isArrays(ast) && ast.elements.length === 0 ? ast.rest : []
  return item === undefined ? undefined : list(find(item) ?? make(Schema.make(item)))
}

/** Makes a decoder that tries the codec's fast decoder, if there is one, and then the codec itself. */
export const make = (codec: Schema.Top): Decoder => {
  const decode = Schema.decodeUnknownResult(codec as Schema.Codec<unknown, unknown>)
  const slow: Decoder = (value) => Result.getOrElse(decode(value), () => none)
  const fast = find(codec.ast)
  if (fast === undefined) return slow
  return (value) => {
    const decoded = fast(value)
    return decoded === none ? slow(value) : decoded
  }
}

/** Makes the decoders of fields, each at first use: the fast one, and the one that tries the codec too. */
const fieldDecoders = (codecs: ReadonlyMap<string, Schema.Top>) => {
  const decoders = new Map<string, { readonly first: Decoder; readonly whole: Decoder }>()
  return (name: string) => {
    const decoder = decoders.get(name)
    const codec = decoder === undefined ? codecs.get(name) : undefined
    if (codec === undefined) return decoder
    const whole = make(codec)
    decoders.set(name, { first: find(codec.ast) ?? whole, whole })
    return decoders.get(name)
  }
}

/**
 * Makes the decoder of a record from the codecs of its fields. The decoder leaves out an optional field that is null.
 * It puts an optional field of the wrong type, and every field without a codec, under `extra`.
 */
export const record = (
  required: Readonly<Record<string, Schema.Top>>,
  optional: Readonly<Record<string, Schema.Top>>,
  noExtra: object
): Decoder => {
  const requiredNames = Object.keys(required)
  const codecs = new Map([...Object.entries(optional), ...Object.entries(required)])
  const getDecoder = fieldDecoders(codecs)
  const decodeWhole = inOrder((name) => getDecoder(name)?.first, requiredNames, { extra: noExtra })

  return (value) => {
    if (!Predicate.isReadonlyObject(value)) return none
    const whole = decodeWhole(value)
    if (whole !== none) return whole
    const decoded: Record<string, unknown> = {}
    const others: Array<readonly [string, unknown]> = []
    for (const name of Object.keys(value)) {
      const sent = value[name]
      const decoder = getDecoder(name)?.whole
      if (decoder === undefined) others.push([name, sent])
      else if (sent !== null && sent !== undefined) {
        const field = decoder(sent)
        if (field === none) others.push([name, sent])
        else decoded[name] = field
      }
    }
    if (!requiredNames.every((name) => Object.hasOwn(decoded, name))) return none
    decoded["extra"] = others.length === 0 ? noExtra : Object.fromEntries(others)
    return decoded
  }
}
