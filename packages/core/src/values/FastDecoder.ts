/**
 * Decoders without Schema's interpreter, for the usual content of answers: texts, ids, amounts, and records and lists of
 * them. Each returns what the codec would, or leaves the value to the codec, which also says what is wrong.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/**
 * A value of an answer that could not be read as the contract says. No codec accepts it: an answer without a promised
 * field is refused, and any other value is kept under `extra`, unchanged.
 */
export class Unread {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** The value is left to the codec, or does not fit it. */
export const none: unique symbol = Symbol.for("@effect-custody/core/internal/quickDecoder/none")

/** Decodes a JSON value, or returns `none`. */
export type Quick = (value: unknown) => unknown

const annotation = "custodyQuick"

/** Adds a quick decoder to a codec. A check that is added to the codec later removes it. */
export const annotated = <S extends Schema.Top>(codec: S, quick: Quick): S["Rebuild"] =>
  codec.annotate({ [annotation]: quick })

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
  if (ast.encoding !== undefined || ast.checks !== undefined) return undefined
  if (SchemaAST.isString(ast)) return text
  const [item] = SchemaAST.isArrays(ast) && ast.elements.length === 0 ? ast.rest : []
  return item === undefined ? undefined : listOf(known(item) ?? of(Schema.make(item)))
}

/** The decoder of a codec: quick where possible, else the codec itself. */
export const of = (codec: Schema.Top): Quick => {
  const decode = Schema.decodeUnknownResult(codec as Schema.Codec<unknown, unknown>)
  const slow: Quick = (value) => Result.getOrElse(decode(value), () => none)
  const quick = known(codec.ast)
  if (quick === undefined) return slow
  return (value) => {
    const decoded = quick(value)
    return decoded === none ? slow(value) : decoded
  }
}

const isSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean => {
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}

/**
 * The decoder of a record, by the codecs of its fields. A usual field that is null is absent. A usual field of another
 * type, and every field that is not named, is kept under `extra`.
 */
export const record = (
  promised: Readonly<Record<string, Schema.Top>>,
  usual: Readonly<Record<string, Schema.Top>>,
  noExtra: object
): Quick => {
  const needed = Object.keys(promised)
  const codecs = new Map([...Object.entries(usual), ...Object.entries(promised)])
  const decoders = new Map<string, { readonly first: Quick; readonly whole: Quick }>()
  const decoderOf = (name: string) => {
    const decoder = decoders.get(name)
    const codec = decoder === undefined ? codecs.get(name) : undefined
    if (codec === undefined) return decoder
    const whole = of(codec)
    decoders.set(name, { first: known(codec.ast) ?? whole, whole })
    return decoders.get(name)
  }

  let keys: ReadonlyArray<string> = []
  let inOrder: ReadonlyArray<Quick> | undefined
  /** For a record whose fields are all named and as assumed. Those of a list mostly have the same fields in one order. */
  const whole: Quick = (value) => {
    const fields = value as Readonly<Record<string, unknown>>
    const names = Object.keys(fields)
    if (!isSame(names, keys)) {
      keys = names
      const isWhole = names.every((name) => codecs.has(name)) && needed.every((name) => names.includes(name))
      inOrder = isWhole ? names.map((name) => decoderOf(name)!.first) : undefined
    }
    const values = Object.values(fields)
    if (inOrder === undefined || values.includes(null)) return none
    const decoded: Record<string, unknown> = { ...fields, extra: noExtra }
    for (let at = 0; at < names.length; at++) {
      const field = inOrder[at]!(values[at])
      if (field === none) return none
      if (field !== values[at]) decoded[names[at]!] = field
    }
    return decoded
  }

  return (value) => {
    if (!Predicate.isReadonlyObject(value)) return none
    const quickly = whole(value)
    if (quickly !== none) return quickly
    const decoded: Record<string, unknown> = {}
    const others: Array<readonly [string, unknown]> = []
    for (const name of Object.keys(value)) {
      const sent = value[name]
      const decoder = decoderOf(name)?.whole
      if (decoder === undefined) others.push([name, sent])
      else if (sent !== null && sent !== undefined) {
        const field = decoder(sent)
        if (field === none) others.push([name, sent instanceof Unread ? sent.value : sent])
        else decoded[name] = field
      }
    }
    if (!needed.every((name) => Object.hasOwn(decoded, name))) return none
    decoded["extra"] = others.length === 0 ? noExtra : Object.fromEntries(others)
    return decoded
  }
}
