/**
 * JSON that a person or another program writes, such as the input of a call: no digit is lost, and no key is repeated.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as ExactJson from "./internal/exactJson.ts"
import * as JsonText from "./internal/jsonText.ts"

/**
 * What is wrong with a text, and where.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mistake extends JsonText.SyntaxMistake {}

/**
 * The value of a JSON text, or the mistakes in it, up to 20. A number that a double cannot hold is a string: its source text.
 * `Amount` and ids read it as it is. A repeated key is a mistake: `JSON.parse` takes its last value without a word.
 *
 * @example
 * ```ts
 * import { ExactJson } from "@effect-custody/core"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(ExactJson.read('{"amount":9007199254740993}')) // { amount: "9007199254740993" }
 * Result.isFailure(ExactJson.read('{"amount":"1","amount":"1000"}')) // true
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const read = (text: string): Result.Result<unknown, ReadonlyArray<Mistake>> =>
  Result.flatMap(JsonText.parse(text), ({ duplicates, positionOf }) => {
    if (duplicates.length > 0) {
      return Result.fail(
        duplicates.map(({ column, line, path }) => ({
          line,
          column,
          message: `${JsonText.quoted(path.at(-1))} is repeated`
        }))
      )
    }
    return Result.try({
      try: () => ExactJson.parse(JsonText.withoutMark(text)),
      catch: (error) => [{ ...positionOf([]), message: String(error) }]
    })
  })
