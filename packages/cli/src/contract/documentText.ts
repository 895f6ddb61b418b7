/** Reads the text of a document that describes an API. */
import * as ApiDocument from "@effect-custody/contract/unstable/ApiDocument"
import * as JsonText from "@effect-custody/contract/unstable/JsonText"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { parseDocument } from "yaml"

/** Texts that are no document in JSON or YAML. */
const others: ReadonlyArray<readonly [pattern: RegExp, reason: string]> = [
  [/^\s*$/, "it is empty"],
  [/^\uFFFD\uFFFD|\0/, "line 1: it is not UTF-8, but perhaps UTF-16: save it as UTF-8"],
  [/^\s*</, "line 1: it is HTML or XML: download the document itself"]
]

/** Parses JSON or YAML. A repeated key is a mistake. */
const parse = (text: string): Result.Result<unknown, string> => {
  if (/^\s*[{[]/.test(text)) {
    return Result.mapError(JsonText.parseUnique(text), ({ line, message }) => `line ${line}: ${message}`)
  }
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined)
    return Result.fail(`line ${error.linePos?.[0].line}: ${error.message.replace(/ at line.*/s, "")}`)
  // No limit on aliases is needed: an alias refers to the same value, and does not copy it.
  return Result.mapError(
    Result.try((): unknown => document.toJS({ maxAliasCount: -1 })),
    String
  )
}

const formatLine = (text: string, at: number): string => `line ${text.slice(0, at).split("\n").length}`

const malformedReference = (text: string): string | undefined => {
  for (const match of text.matchAll(/\$ref"?\s*:\s*["']?([^"'\s,}]+)/g)) {
    const decoded = Result.try(() => decodeURIComponent(match[1]!))
    if (Result.isFailure(decoded)) return `${formatLine(text, match.index)}: the $ref ${match[1]} is malformed`
  }
  return undefined
}

/** Reads an OpenAPI document in JSON or YAML or a Postman collection. Fails with what is wrong with the text. */
export const read = (file: string): Result.Result<ApiDocument.ApiDocument, string> => {
  const text = file.replace(/^\uFEFF/, "")
  const other = others.find(([pattern]) => pattern.test(text))
  if (other !== undefined) return Result.fail(other[1])
  return Result.flatMap(parse(text), (value) => {
    if (Predicate.isReadonlyObject(value) && "swagger" in value) {
      return Result.fail(`${formatLine(text, text.indexOf("swagger"))}: it is Swagger 2: convert it to OpenAPI 3 first`)
    }
    const malformed = malformedReference(text)
    if (malformed !== undefined) return Result.fail(malformed)
    const document = ApiDocument.read(value)
    if (document === undefined) return Result.fail("it is not an OpenAPI 3 document or a Postman collection 2.1")
    return document.operations.length === 0 ? Result.fail("it has no operations") : Result.succeed(document)
  })
}
