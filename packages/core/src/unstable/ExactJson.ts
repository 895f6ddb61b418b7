/** JSON that a person or another program writes: no digit is lost, and no key is repeated. */
import * as Result from "effect/Result"
import * as ExactJson from "../internal/exactJson.ts"
import * as JsonText from "../internal/jsonText.ts"

/** What is wrong with a text, and where. */
export interface Mistake extends JsonText.SyntaxMistake {}

/** The value of a JSON text, or up to 20 mistakes in it. A number that a double cannot hold is a string: its source text. */
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
