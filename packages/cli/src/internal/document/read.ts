/** Reads the text of a document that describes an API. */
import * as Result from "effect/Result"
import { parse } from "yaml"
import * as Har from "./har.ts"
import { type ApiDocument, isObject } from "./model.ts"
import * as OpenApi from "./openApi.ts"
import * as Postman from "./postman.ts"

const formats = [
  [OpenApi.isOpenApi, OpenApi.read],
  [Postman.isPostman, Postman.read],
  [Har.isHar, Har.read]
] as const

/** An OpenAPI document in JSON or YAML, a Postman collection or a HAR, or what is wrong with the text. */
export const read = (text: string): Result.Result<ApiDocument, string> => {
  const json = Result.orElse(
    Result.try((): unknown => JSON.parse(text)),
    () => Result.try((): unknown => parse(text))
  )
  if (Result.isFailure(json)) return Result.fail("it is neither JSON nor YAML")
  const value = json.success
  const format = isObject(value) ? formats.find(([is]) => is(value)) : undefined
  if (format === undefined || !isObject(value)) {
    return Result.fail("it is not an OpenAPI 3 document, a Postman collection 2.1 or a HAR")
  }
  const document = format[1](value)
  return document.operations.length === 0 ? Result.fail("it has no operations") : Result.succeed(document)
}
