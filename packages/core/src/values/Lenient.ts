/**
 * What the service may extend:
 *
 * 1. an enumeration: known identifiers, and any other. Specification: "States and transitions". It shows no identifiers;
 * 2. a record of an answer: required fields, optional fields, and everything else that the service sends. Specification:
 *    "Other resources". It shows no names, types or formats of fields;
 * 3. the record of a network, to which each wallet, asset, token and NFT belongs. Specification: "Endpoint categories". It
 *    shows no fields.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { Simplify } from "effect/Types"
import * as FastDecoder from "./fastDecoder.ts"
import * as Id from "./Id.ts"

// 1. Enumerations.

/**
 * An unknown identifier: any string. The suffix exists only in the type. It makes the compiler refuse a comparison with
 * a literal that is not a known identifier.
 *
 * @since 0.1.0
 * @category models
 */
export type Unlisted = `${string}\u0000unlisted`

/**
 * One of the known identifiers, or any other string, which is kept unchanged. An editor completes the known
 * identifiers. The compiler refuses a comparison with any other literal.
 *
 * @since 0.1.0
 * @category models
 */
export type OpenEnum<Known extends string> = Known | Unlisted

/**
 * The codec of an {@link OpenEnum}.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenEnumCodec<Known extends string> extends Schema.Codec<OpenEnum<Known>, string> {
  readonly known: ReadonlyArray<Known>
  /** `true` for a known identifier, in the service's own spelling. */
  readonly isKnown: (value: unknown) => value is Known
  /** The codec of an input: any string. */
  readonly input: Schema.Codec<OpenEnum<Known> | (string & {}), string>
}

export const OpenEnum = <const Known extends string>(...known: ReadonlyArray<Known>): OpenEnumCodec<Known> => {
  const codec = Schema.String.annotate({
    description: `Known: ${known.join(", ")}. Others may come, and are kept.`,
    custodyKnown: known
  })
  const members: ReadonlySet<unknown> = new Set(known)
  const isKnown = (value: unknown): value is Known => members.has(value)
  return Object.assign(codec, { known, isKnown, input: codec }) as unknown as OpenEnumCodec<Known>
}

// 2. Records.

/**
 * Fields under the service's names, with the values that the service sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Extra = Readonly<Record<string, unknown>>

/**
 * The field that every record has.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fields {
  /** Every field that the service sent, but the record does not declare. */
  readonly extra: Extra
}

/** Makes a field optional. Decoding leaves out a null, or a value of the wrong type. */
const lenient = (field: Schema.Top) =>
  Schema.optionalKey(field.pipe(Schema.catchDecoding<Schema.Top>(() => Effect.succeedNone)))

const none: Extra = Object.freeze({})

type Codecs = Readonly<Record<string, Schema.Top>>

const make = (required: Codecs, optional: Codecs): Schema.Top => {
  const fields: Record<string, Schema.Top> = {
    ...required,
    ...Object.fromEntries(Object.entries(optional).map(([name, field]) => [name, lenient(field)]))
  }
  const isNamed = (name: string): boolean => Object.hasOwn(fields, name)
  // The rest of the struct must not match declared fields: it encodes as plain JSON, but a declared field may hold a
  // `BigDecimal`, which is not JSON.
  const Other = Schema.String.pipe(Schema.check(Schema.makeFilter((name) => !isNamed(name))))
  const Wire = Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Other, Schema.Unknown)])
  const Type = Schema.Struct({
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.toType(field)])),
    extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)).pipe(
      Schema.withConstructorDefault(Effect.succeed(none))
    )
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
  return Object.assign(FastDecoder.annotate(codec, FastDecoder.record(required, optional, none)), { fields })
}

/** Said of the codecs of the fields, so that declarations keep the fields' comments. */
type Named<R extends Codecs, O extends Codecs> = { readonly [K in keyof R]: R[K]["Type"] } & {
  readonly [K in keyof O]?: O[K]["Type"]
}

/**
 * The codec of an {@link Opaque} record.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordCodec<R extends Codecs, O extends Codecs> extends Schema.Codec<
  Simplify<Named<R, O> & Fields>,
  Extra
> {
  /** The input of `make`, which may leave out `extra`. */
  readonly "~type.make.in": Simplify<Named<R, O> & Partial<Fields>>
  /** The codecs of the fields, the optional ones as they are decoded. */
  readonly fields: R & { readonly [K in keyof O]: Schema.optionalKey<O[K]> }
}

/**
 * Makes the class of a record from its required fields and its optional fields. The class has no instances: a record is
 * a plain object. `make` makes one, with or without its `extra`.
 *
 * The codec refuses an answer in which a required field is missing or of the wrong type. It leaves out an optional field
 * that is missing, null, or of the wrong type. It puts every undeclared field under `extra`, unchanged. In the result of
 * a call, `extra` also contains each optional field that has the wrong type. In JSON, the members of `extra` are beside
 * the other fields. A program may leave out the `extra` of a record to encode.
 *
 * @since 0.1.0
 * @category constructors
 * @example
 * ```ts
 * import { Lenient } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * class Report extends Lenient.Opaque<Report>()({ id: Schema.String }, { total: Schema.String }) {}
 *
 * const report = Schema.decodeUnknownSync(Report)({ id: "r1", total: null, author: "alice" })
 * report.extra["author"] // "alice", as unknown
 * ```
 */
export const Opaque =
  <Self>() =>
  <R extends Codecs, O extends Codecs = {}>(
    required: R,
    optional?: O
  ): Schema.Opaque<Self, RecordCodec<R, O>, {}> & Pick<RecordCodec<R, O>, "fields"> =>
    make(required, optional ?? {}) as any

// 3. Networks.

/**
 * A blockchain network. Only its `id` is required. Its other fields are assumed: the specification does not show them.
 *
 * @since 0.1.0
 * @category models
 */
export class Network extends Opaque<Network>()(
  { id: Id.NetworkId },
  {
    name: Schema.String,
    symbol: Schema.String,
    type: OpenEnum("PUBLIC", "PRIVATE"),
    status: OpenEnum("ACTIVE", "INACTIVE")
  }
) {}
