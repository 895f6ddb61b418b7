/** The JSON of an answer. Pure. */
import * as Result from "effect/Result"
import * as ExactJson from "./exactJson.ts"

/** A body's JSON, or `undefined` if it is not JSON. */
export const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try(() => ExactJson.parse(text)),
    () => undefined
  )
