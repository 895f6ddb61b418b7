/** The error answers of an OpenAPI document under a contract. Pure. */
import type { Errors } from "../../ContractFile.ts"
import { type Json, placed } from "./documentSchema.ts"
import type { ErrorWire } from "./errors.ts"
import * as Path from "./path.ts"

/** A code as text, and as a number if it can be one: a contract does not tell them apart. */
const spellings = (code: string): ReadonlyArray<string | number> =>
  String(Number(code)) === code ? [code, Number(code)] : [code]

/** The schema of a code: where every code of a meaning is known, it is one of those that the contract lists for it. */
const codeOf = (assumed: Json, tag: string, tags: Errors["tags"]): Json => {
  if (tags === undefined) return assumed
  const listed = Object.keys(tags).filter((code) => tags[code] === tag)
  return assumed["enum"] !== undefined && listed.length > 0
    ? { enum: listed.flatMap(spellings) }
    : { type: ["string", "integer"], examples: listed }
}

/** The tag of an error's schema in the components. */
const tagOf = (name: string): string => (name.endsWith("Encoded") ? name.slice(0, -"Encoded".length) : name)

/** The field messages of an error, where a contract says where they are. */
const messages: Json = { type: "object", description: "The messages of each field.", additionalProperties: true }

/** The schema of an error body. */
export const body = (name: string, schema: Json, { code, fields, message, tags }: Errors): Json => {
  const { properties, required, ...rest } = schema
  const parts: ReadonlyArray<readonly [path: string, part: Json, isRequired: boolean]> = [
    ...(code === undefined ? [["status", properties["status"], false] as const] : []),
    [code ?? "code", codeOf(properties["code"], tagOf(name), tags), required.includes("code")],
    [message ?? "message", properties["message"], required.includes("message")],
    [fields ?? "errors", fields === undefined ? properties["errors"] : messages, false]
  ]
  return parts.reduce<Json>(
    (made, [path, part, isRequired]) => placed(made, Path.segmentsOf(path), part, isRequired),
    rest
  )
}

/** The schema with the references to error bodies resolved, where an operation has bodies of its own. */
const resolved = (schema: Json, components: Json, errors: Errors): Json => {
  const { $ref: reference, anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((each: Json) => resolved(each, components, errors)) }
  if (typeof reference !== "string") return schema
  const name = reference.slice(reference.lastIndexOf("/") + 1)
  return body(name, components[name], errors)
}

/** The examples of error bodies, each code once. */
const examplesOf = (examples: Json, errors: ErrorWire): Json =>
  Object.fromEntries(
    Object.values<Json>(examples).map(({ summary, value }) => {
      const theirs = errors.write(value)
      const { code } = errors.read(theirs).body as { readonly code?: string }
      return [String(code), { summary, value: theirs }] as const
    })
  )

/** What is said of an operation's errors, as they are written. */
export interface Written {
  readonly wire: ErrorWire
  readonly contentType: string
  /** What the operation itself says, or `undefined` where its errors are those of the whole API. */
  readonly own: Errors | undefined
  /** The schemas of the assumed error bodies. */
  readonly components: Json
}

/** An error answer. */
export const answer = (assumed: Json, { components, contentType, own, wire }: Written): Json => {
  const media: Json | undefined = assumed["content"]?.["application/json"]
  if (media === undefined) return assumed
  const { examples, schema, ...rest } = media
  return {
    ...assumed,
    content: {
      [contentType]: {
        ...rest,
        schema: own === undefined ? schema : resolved(schema, components, own),
        ...(examples === undefined ? {} : { examples: examplesOf(examples, wire) })
      }
    }
  }
}
