/**
 * Records and sets that are not closed: what the specification does not show may be there, and is kept.
 *
 * Specification: "Other resources": names, types and formats of fields not shown; "States and transitions": identifiers
 * not shown.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Fields by name. */
type Fields = Readonly<Record<string, Schema.Top>>

type Lenient<F extends Fields> = {
  readonly [K in keyof F]: Schema.optionalKey<Schema.middlewareDecoding<F[K], F[K]["DecodingServices"]>>
}

/** Absent where it is missing, null, or not what we assume: nobody promised it, so an answer is never refused for it. */
const lenient = (field: Schema.Top) =>
  Schema.optionalKey(field.pipe(Schema.catchDecoding<Schema.Top>(() => Effect.succeedNone)))

const lenientAll = <F extends Fields>(fields: F): Lenient<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, lenient(field)])) as unknown as Lenient<F>

/**
 * The record of an answer: the fields that are promised, those that are usual (each absent where it is missing, null, or
 * of another kind than assumed), and every other field as it comes.
 *
 * @example
 * ```ts
 * import { Lenient } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * const Report = Lenient.struct({ id: Schema.String }, { total: Schema.String })
 *
 * Schema.decodeUnknownSync(Report)({ id: "r1", total: null, author: "alice" }) // { id: "r1", author: "alice" }
 * ```
 */
export const struct = <P extends Fields, U extends Fields>(promised: P, usual: U) => {
  const fields = { ...promised, ...lenientAll(usual) }
  // The rest takes the other keys only: an amount is no JSON value, and must not be encoded as one.
  const Other = Schema.String.pipe(Schema.check(Schema.makeFilter((key) => !Object.hasOwn(fields, key))))
  return Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Other, Schema.Unknown)])
}
