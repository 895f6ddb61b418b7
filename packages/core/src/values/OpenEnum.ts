/**
 * Enumerations that the service may extend.
 *
 * Specification: "States and transitions". It shows no identifiers.
 */
import * as Schema from "effect/Schema"

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
export interface Codec<Known extends string> extends Schema.Codec<OpenEnum<Known>, string> {
  readonly known: ReadonlyArray<Known>
  /** `true` for a known identifier, in the service's own spelling. */
  readonly isKnown: (value: unknown) => value is Known
  /** The codec of an input: any string. */
  readonly input: Schema.Codec<OpenEnum<Known> | (string & {}), string>
}

export const OpenEnum = <const Known extends string>(...known: ReadonlyArray<Known>): Codec<Known> => {
  const codec = Schema.String.annotate({
    description: `Known: ${known.join(", ")}. Others may come, and are kept.`,
    custodyKnown: known
  })
  const members: ReadonlySet<unknown> = new Set(known)
  const isKnown = (value: unknown): value is Known => members.has(value)
  return Object.assign(codec, { known, isKnown, input: codec }) as unknown as Codec<Known>
}
