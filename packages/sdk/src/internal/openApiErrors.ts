/** The error answers of the OpenAPI document: their codes, with an example of each. Pure. */
import * as ApiError from "@effect-custody/core/ApiError"
import type { JsonSchema } from "./openApiSchema.ts"

/** The messages of the specification's example of a validation error. */
const fields = { apiKey: ["must be a string", "must not exceed 255 characters", "should not be empty"] }

const bodyOf = (code: ApiError.Code) => {
  const { message, status } = ApiError.answers[code]
  return { status, message, errors: { message, ...(status === 422 ? fields : {}) }, code }
}

/** The tag of an error's schema in the components. */
const tagOf = (reference: string): string => {
  const name = reference.slice(reference.lastIndexOf("/") + 1)
  return name.endsWith("Encoded") ? name.slice(0, -"Encoded".length) : name
}

const codesOf = (tag: string): ReadonlyArray<ApiError.Code> =>
  Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes] : []

/** Endpoints have codes of their own on a 400, 404 and 422. The codes of a 401 and a 498 are all known. */
const isClosed = (tag: string): boolean =>
  codesOf(tag).every((code) => [401, 498].includes(ApiError.answers[code].status))

/** An error body, with the codes that it can carry. */
export const body = (name: string, schema: JsonSchema): JsonSchema => {
  const tag = tagOf(name)
  const codes = codesOf(tag)
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

/** An error answer with an example of each code of the specification. */
export const response = (answer: JsonSchema): JsonSchema => {
  const media: JsonSchema = answer["content"]?.["application/json"] ?? {}
  const codes = references(media["schema"] ?? {}).flatMap((reference) => codesOf(tagOf(reference)))
  if (codes.length === 0) return answer
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: ApiError.answers[code].message, value: bodyOf(code) }])
  )
  return { ...answer, content: { "application/json": { ...media, examples } } }
}
