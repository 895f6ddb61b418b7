/**
 * Decoders without Schema's interpreter, for the usual content of answers: texts, ids, amounts, and records and lists of
 * them. Each returns what the codec would, or leaves the value to the codec, which also says what is wrong.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { raw } from "./unread.ts"

/** The value is left to the codec. */
export const none: unique symbol = Symbol.for("@effect-custody/core/internal/quickDecoder/none")

/** Decodes a JSON value, or returns `none`. */
export type Quick = (value: unknown) => unknown

const annotation = "custodyQuick"

const recordAnnotation = "custodyRecord"

/** Adds a quick decoder to a codec. A check that is added to the codec later removes it. */
export const annotated = <S extends Schema.Top>(codec: S, quick: Quick): S["Rebuild"] =>
  codec.annotate({ [annotation]: quick })

/** Adds a quick decoder to the codec of a record: usual fields of another type are kept under `extra`. */
export const annotatedRecord = <S extends Schema.Top>(codec: S, quick: Quick): S["Rebuild"] =>
  codec.annotate({ [recordAnnotation]: quick })

/** The quick decoder of a record's codec; `undefined` for any other codec. */
export const recordOf = (ast: SchemaAST.AST | undefined): Quick | undefined =>
  ast === undefined ? undefined : SchemaAST.resolveAt<Quick>(recordAnnotation)(ast)

const text: Quick = (value) => (typeof value === "string" ? value : none)

const listOf =
  (item: Quick): Quick =>
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

/** The quick decoder of a type; `undefined` if there is none. */
const known = (ast: SchemaAST.AST): Quick | undefined => {
  const own = SchemaAST.resolveAt<Quick>(annotation)(ast)
  if (own !== undefined) return own
  const record = recordOf(ast)
  if (record !== undefined) return record
  if (ast.encoding !== undefined || ast.checks !== undefined) return undefined
  if (SchemaAST.isString(ast)) return text
  if (SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest.length === 1) {
    const item = known(ast.rest[0]!)
    return item === undefined ? undefined : listOf(item)
  }
  return undefined
}

const byCodec = (codec: Schema.Top): Quick => {
  const decode = Schema.decodeUnknownResult(codec as Schema.Codec<unknown, unknown>)
  return (value) => Result.getOrElse(decode(value), () => none)
}

/** The decoder of a codec: quick where possible, else the codec itself. */
export const of = (codec: Schema.Top): Quick => {
  const slow = byCodec(codec)
  const quick = known(codec.ast)
  if (quick === undefined) return slow
  return (value) => {
    const decoded = quick(value)
    return decoded === none ? slow(value) : decoded
  }
}

/** The fields of records that have the same fields in the same order, as those of a list mostly have. */
interface Shape {
  readonly keys: ReadonlyArray<string>
  /** Of each field; `undefined` where the record has a field that is not named, or lacks one that is promised. */
  readonly decoders: ReadonlyArray<Quick> | undefined
}

const isSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean => {
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}

/**
 * The decoder of a record whose fields are all named and as assumed: it copies the record, and replaces the fields
 * whose decoded value differs.
 */
const whole = (
  promised: Readonly<Record<string, Schema.Top>>,
  usual: Readonly<Record<string, Schema.Top>>,
  noExtra: object
): ((value: Readonly<Record<string, unknown>>) => unknown) => {
  const codecs = new Map([...Object.entries(usual), ...Object.entries(promised)])
  const decoders = new Map<string, Quick>()
  const decoderOf = (name: string): Quick => {
    const codec = codecs.get(name)!
    const decoder = decoders.get(name) ?? known(codec.ast) ?? byCodec(codec)
    decoders.set(name, decoder)
    return decoder
  }
  const shapeOf = (keys: ReadonlyArray<string>): Shape => {
    const isWhole = keys.every((name) => codecs.has(name)) && Object.keys(promised).every((name) => keys.includes(name))
    return { keys, decoders: isWhole ? keys.map(decoderOf) : undefined }
  }
  let last: Shape = { keys: [], decoders: undefined }
  return (value) => {
    const keys = Object.keys(value)
    if (!isSame(keys, last.keys)) last = shapeOf(keys)
    const values = Object.values(value)
    if (last.decoders === undefined || values.includes(null)) return none
    const record: Record<string, unknown> = { ...value, extra: noExtra }
    for (let at = 0; at < keys.length; at++) {
      const decoded = last.decoders[at]!(values[at])
      if (decoded === none) return none
      if (decoded !== values[at]) record[keys[at]!] = decoded
    }
    return record
  }
}

/** The decoder of a record, by the codecs of its fields. */
export const record = (
  promised: Readonly<Record<string, Schema.Top>>,
  usual: Readonly<Record<string, Schema.Top>>,
  noExtra: object
): Quick => {
  const names = [...Object.keys(promised), ...Object.keys(usual)]
  const named = new Set(names)
  // Every object inherits these names, so a value without such a field would seem to have it.
  if (names.some((name) => name in Object.prototype)) return () => none
  let decoders: ReadonlyArray<Quick> | undefined
  const least = Object.keys(promised).length
  const plain = whole(promised, usual, noExtra)
  return (value) => {
    if (!Predicate.isReadonlyObject(value)) return none
    const quickly = plain(value)
    if (quickly !== none) return quickly
    decoders ??= names.map((name) => of((promised[name] ?? usual[name])!))
    const decoded: Record<string, unknown> = {}
    let others: Array<readonly [string, unknown]> | undefined
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      const sent = value[name]
      const field = sent === undefined || (sent === null && at >= least) ? none : decoders[at]!(sent)
      if (field !== none) decoded[name] = field
      else if (at < least) return none
      else if (sent !== undefined && sent !== null) (others ??= []).push([name, raw(sent)])
    }
    for (const name of Object.keys(value)) {
      if (!named.has(name)) (others ??= []).push([name, value[name]])
    }
    decoded["extra"] = others === undefined ? noExtra : Object.fromEntries(others)
    return decoded
  }
}

const envelopeFields: ReadonlySet<PropertyKey> = new Set(["message", "data", "meta", "status"])

/** The decoder of an envelope with a record or a list of records; `undefined` for any other. */
export const envelope = (success: Schema.Top): Quick | undefined => {
  const { ast } = success
  if (!SchemaAST.isObjects(ast) || ast.encoding !== undefined || ast.checks !== undefined) return undefined
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.some(({ name }) => !envelopeFields.has(name))) {
    return undefined
  }
  const payload = ast.propertySignatures.find(({ name }) => name === "data")?.type
  if (payload === undefined || (payload.encoding !== undefined && recordOf(payload) === undefined)) return undefined
  const isList = SchemaAST.isArrays(payload) && payload.checks === undefined && payload.elements.length === 0
  const ofRecord = recordOf(isList ? payload.rest[0] : payload)
  if (ofRecord === undefined) return undefined
  const data: Quick = isList ? listOf(ofRecord) : ofRecord
  const hasMeta = ast.propertySignatures.some(({ name }) => name === "meta")
  const decodeMeta = Schema.decodeUnknownResult(success as Schema.Codec<unknown, unknown>)
  return (sent) => {
    if (!Predicate.isReadonlyObject(sent)) return none
    const { message, meta, status } = sent
    if (message !== undefined && typeof message !== "string") return none
    if (status !== undefined && !Number.isSafeInteger(status)) return none
    const decoded = data(sent["data"])
    if (decoded === none) return none
    const rest = {
      ...(message === undefined ? {} : { message }),
      data: decoded,
      ...(status === undefined ? {} : { status })
    }
    if (!hasMeta || meta === undefined) return rest
    if (!isList) return none
    const about = decodeMeta({ data: [], meta })
    return Result.isSuccess(about) && Predicate.isReadonlyObject(about.success)
      ? { ...rest, meta: about.success["meta"] }
      : none
  }
}
