/**
 * Enumerations that the service may extend.
 *
 * Specification: "States and transitions". It shows no identifiers.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/**
 * One of the known identifiers, or any other string, which is kept unchanged. An editor completes the known
 * identifiers.
 *
 * @since 0.1.0
 * @category models
 */
export type OpenEnum<Known extends string> = Known | (string & {})

export const OpenEnum = <const Known extends string>(
  ...known: ReadonlyArray<Known>
): Schema.Codec<OpenEnum<Known>, string> =>
  Schema.String.annotate({
    description: `Known: ${known.join(", ")}. Others may come, and are kept.`,
    custodyKnown: known
  })

/**
 * Lists the known identifiers of an {@link OpenEnum}. The list of any other schema is empty.
 *
 * @since 0.1.0
 * @category getters
 */
export const known = (codec: Schema.Top): ReadonlyArray<string> =>
  SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(codec.ast) ?? []
