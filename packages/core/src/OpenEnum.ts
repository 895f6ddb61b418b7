/**
 * Enumerations that the service may extend.
 *
 * Specification: "States and transitions": identifiers not shown.
 */
import * as Schema from "effect/Schema"

/**
 * One of the known identifiers, or any other string. An editor completes the known ones.
 *
 * No comparison with a string is a compile error: any identifier may come.
 */
export type OpenEnum<Known extends string> = Known | (string & {})

/**
 * An enumeration whose known identifiers complete in an editor; any other string decodes and is kept as it is.
 *
 * @example
 * ```ts
 * import { OpenEnum } from "@effect-custody/core"
 *
 * const Colour = OpenEnum("RED", "GREEN")
 * type Colour = typeof Colour.Type // "RED" | "GREEN" | (string & {})
 * ```
 */
export const OpenEnum = <const Known extends string>(
  ...known: ReadonlyArray<Known>
): Schema.Codec<OpenEnum<Known>, string> =>
  Schema.String.annotate({ description: `Known: ${known.join(", ")}. Others may come, and are kept.` })
