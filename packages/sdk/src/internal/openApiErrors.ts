/** The error answers of the OpenAPI document: their codes, with an example of each code. Pure. */
import * as ApiError from "@effect-custody/core/ApiError"
import type { JsonSchema } from "./openApiSchema.ts"

/** The messages of the specification's example of a validation error. */
const fields = { apiKey: ["must be a string", "must not exceed 255 characters", "should not be empty"] }

const exampleBody = (code: ApiError.Code) => {
  const { message, status } = ApiError.answers[code]
  return { status, message, errors: { message, ...(status === 422 ? fields : {}) }, code }
}

/** The tag of an error's schema in the components. */
const readTag = (reference: string): string => {
  const name = reference.slice(reference.lastIndexOf("/") + 1)
  return name.endsWith("Encoded") ? name.slice(0, -"Encoded".length) : name
}

const codesByTag = (tag: string): ReadonlyArray<ApiError.Code> =>
  Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes] : []

/** `true` if all codes of an error are known: on a 401 and a 498. A 400, 404 and 422 may have codes of an endpoint. */
const isClosed = (tag: string): boolean =>
  codesByTag(tag).every((code) => [401, 498].includes(ApiError.answers[code].status))

/** Adds the possible codes to the schema of an error body. */
export const body = (name: string, schema: JsonSchema): JsonSchema => {
  const tag = readTag(name)
  const codes = codesByTag(tag)
  const { properties } = schema
  return {
    ...schema,
    properties: {
      ...properties,
      errors: {
        type: "object",
        description: "The summary again and, on a validation error, the messages of each field.",
        properties: { message: { type: "string" } },
        additionalProperties: true
      },
      code: {
        ...properties["code"],
        ...(codes.length > 0 && isClosed(tag) ? { enum: codes } : { pattern: String.raw`^E\d{5}$`, examples: codes })
      }
    }
  }
}

const references = (schema: JsonSchema): ReadonlyArray<string> =>
  [schema, ...(schema["anyOf"] ?? [])].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []))

/** Adds an example of each code of the specification to an error answer. */
export const response = (answer: JsonSchema): JsonSchema => {
  const media: JsonSchema = answer["content"]?.["application/json"] ?? {}
  const codes = references(media["schema"] ?? {}).flatMap((reference) => codesByTag(readTag(reference)))
  if (codes.length === 0) return answer
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ApiError.answers[code].message, value: exampleBody(code) }])
  )
  return { ...answer, content: { "application/json": { ...media, examples } } }
}
