/**
 * Records of answers: the promised fields, the usual fields, and everything else that the service sends.
 *
 * Specification: "Other resources": names, types and formats of fields not shown.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Quick from "./FastDecoder.ts"

/**
 * Fields by the service's names, as the service sent them.
 *
 * @since 0.1.0
 * @category models
 */
export type Extra = Readonly<Record<string, unknown>>

/**
 * What every record has.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fields {
  /** Every field that the service sent and this record does not name. */
  readonly extra: Extra
}

/**
 * The codec of a record. On the wire, the members of `extra` are beside the other fields.
 *
 * @since 0.1.0
 * @category models
 */
export interface Struct<A extends Fields> extends Schema.Codec<A, Extra> {}

type OptionalKeys<A> = { [K in keyof A]-?: {} extends Pick<A, K> ? K : never }[keyof A]

/** The codecs of the required fields of a record. */
type Promised<A extends Fields> = {
  readonly [K in Exclude<keyof A, OptionalKeys<A> | "extra">]: Schema.Codec<A[K], any>
}

/** The codecs of the optional fields of a record. */
type Usual<A extends Fields> = {
  readonly [K in OptionalKeys<A>]-?: Schema.Codec<Exclude<A[K], undefined>, any>
}

/**
 * A record as a program writes it, for a stub or a server: `extra` may be left out, also of records within.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Written<A> = A extends Fields
  ? { readonly [K in keyof A as K extends "extra" ? never : K]: Written<A[K]> } & Partial<Fields>
  : A extends ReadonlyArray<infer I>
    ? ReadonlyArray<Written<I>>
    : A

/** A field that is absent if it is missing, null, or of another type: the specification does not promise it. */
const lenient = (field: Schema.Top) =>
  Schema.optionalKey(field.pipe(Schema.catchDecoding<Schema.Top>(() => Effect.succeedNone)))

const none: Extra = Object.freeze({})

/**
 * The codec of a record. An answer is refused when a promised field is missing or of another type. A usual field is
 * absent when it is missing, null, or of another type. Every other field is kept under `extra`, unchanged; in the result
 * of a call, so is a usual field of another type. To encode, `extra` may be left out.
 *
 * @since 0.1.0
 * @category constructors
 * @example
 * ```ts
 * import { Lenient } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * interface Report extends Lenient.Fields {
 *   readonly id: string
 *   readonly total?: string
 * }
 * const Report = Lenient.struct<Report>({ id: Schema.String }, { total: Schema.String })
 *
 * const report = Schema.decodeUnknownSync(Report)({ id: "r1", total: null, author: "alice" })
 * report.extra.author // "alice", as unknown
 * ```
 */
export const struct = <A extends Fields>(promised: Promised<A>, usual: Usual<A>): Struct<A> => {
  const fields: Record<string, Schema.Top> = {
    ...promised,
    ...Object.fromEntries(Object.entries<Schema.Top>(usual).map(([name, field]) => [name, lenient(field)]))
  }
  const isNamed = (name: string): boolean => Object.hasOwn(fields, name)
  // The rest has only the other keys: an amount is not a JSON value, and must not be encoded as one.
  const Other = Schema.String.pipe(Schema.check(Schema.makeFilter((name) => !isNamed(name))))
  const Wire = Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Other, Schema.Unknown)])
  const Type = Schema.Struct({
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.toType(field)])),
    extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
  const decode = (wire: Extra): object => {
    const entries = Object.entries(wire)
    const named = entries.filter(([name]) => isNamed(name))
    const others = entries.filter(([name]) => !isNamed(name))
    return { ...Object.fromEntries(named), extra: others.length === 0 ? none : Object.fromEntries(others) }
  }
  const encode = ({ extra, ...named }: Partial<Fields>): object => ({ ...extra, ...named })
  const codec: Schema.Top = Wire.pipe(
    Schema.decodeTo(Type, SchemaTransformation.transform<any, any>({ decode, encode }))
  )
  return Quick.annotated(codec, Quick.record(promised, usual, none)) as Struct<A>
}
