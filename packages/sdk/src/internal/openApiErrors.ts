/** The error answers of the OpenAPI document: their codes, with an example of each. Pure. */
import * as ApiError from "@effect-custody/core/ApiError"
import type { JsonSchema } from "./openApiSchema.ts"

interface Code {
  readonly status: number
  readonly message: string
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>
}

const validation = {
  status: 422,
  message: "Validation error",
  fields: { apiKey: ["must be a string", "must not exceed 255 characters", "should not be empty"] }
}

/** The meaning of each code. Specification: "Authentication error codes", "Common error codes". */
const meanings: Readonly<Record<(typeof ApiError.codes)[keyof typeof ApiError.codes][number], Code>> = {
  E00401: { status: 400, message: "Invalid API key" },
  E00402: validation,
  E01401: { status: 401, message: "Invalid access token" },
  E01402: { status: 401, message: "Invalid refresh token, or refresh token no longer valid" },
  E01403: { status: 498, message: "Token has expired" },
  E40000: { status: 400, message: "Bad request: the body or query parameters are malformed" },
  E40001: { status: 401, message: "Invalid access token; the X-ACCESS-TOKEN header is missing or invalid" },
  E40002: { status: 401, message: "Invalid refresh token" },
  E40003: { status: 498, message: "Token has expired" }
}

const bodyOf = (code: string, { fields, message, status }: Code) => ({
  status,
  message,
  errors: { message, ...fields },
  code
})

/** The tag of an error's schema in the components. */
const tagOf = (reference: string): string => {
  const name = reference.slice(reference.lastIndexOf("/") + 1)
  return name.endsWith("Encoded") ? name.slice(0, -"Encoded".length) : name
}

const codesOf = (tag: string): ReadonlyArray<keyof typeof meanings> =>
  Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes] : []

/** Endpoints have codes of their own on a 400, 404 and 422. The codes of a 401 and a 498 are all known. */
const isClosed = (tag: string): boolean => codesOf(tag).every((code) => [401, 498].includes(meanings[code].status))

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
    codes.map((code) => [code, { summary: meanings[code].message, value: bodyOf(code, meanings[code]) }])
  )
  return { ...answer, content: { "application/json": { ...media, examples } } }
}
