/** Bodies of errors: from the service's to the specification's, and back. Pure. */
import * as Predicate from "effect/Predicate"
import * as ApiError from "../../ApiError.ts"
import type { Errors, ErrorTag } from "../../ContractFile.ts"
import * as Path from "./path.ts"

/** An error body as the specification has it, and what its code means if the contract says so. */
export interface Reading {
  readonly body: unknown
  readonly tag: ApiError.Tag | undefined
  /** Whether only a code that the contract lists makes `NotFound` certain: it lists some, or calls 404 doubtful. */
  readonly listsNotFound?: boolean | undefined
}

export interface ErrorWire {
  readonly read: (body: unknown) => Reading
  readonly write: (ours: { readonly [name: string]: unknown }) => unknown
}

/** The error bodies of the specification. */
export const assumed: ErrorWire = { read: (body) => ({ body, tag: undefined }), write: (ours) => ours }

const codesOf = (tag: ErrorTag): ReadonlyArray<string> => (tag === "NotFound" ? [] : ApiError.codes[tag])

/** Whether a contract says anything about the bodies of errors. */
export const isSaid = (errors: Errors): boolean =>
  Object.keys(errors).some((key) => key !== "doubtful" && key !== "when")

/** Messages by field: of an object, or of a list of objects that name their field. */
const renamed = (errors: unknown, names: ReadonlyMap<string, string>): unknown =>
  Predicate.isReadonlyObject(errors)
    ? Object.fromEntries(Object.entries(errors).map(([name, value]) => [names.get(name) ?? name, value]))
    : errors

/** Error bodies as a contract defines them. `names` maps the service's names of input fields to ours. */
export const make = (
  { code, doubtful = [], fields, message, tags = {} }: Errors,
  names: ReadonlyMap<string, string>
): ErrorWire => {
  const codeAt = Path.segmentsOf(code ?? "code")
  const messageAt = Path.segmentsOf(message ?? "message")
  const fieldsAt = Path.segmentsOf(fields ?? "errors")
  const listsNotFound = doubtful.includes(404) || Object.values(tags).includes("NotFound")
  const theirs = new Map([...names].map(([their, our]) => [our, their]))
  const theirCode = (ours: unknown): unknown =>
    Object.entries(tags).find(([, tag]) => codesOf(tag).includes(String(ours)))?.[0] ?? ours
  return {
    read: (body) => {
      const found = Path.at(body, codeAt)
      const sent = typeof found === "string" || typeof found === "number" ? String(found) : undefined
      const tag = sent !== undefined && Object.hasOwn(tags, sent) ? tags[sent] : undefined
      const text = Path.at(body, messageAt)
      const errors = renamed(Path.at(body, fieldsAt), names)
      return {
        body: {
          ...(sent === undefined ? {} : { code: sent }),
          ...(text === undefined ? {} : { message: text }),
          ...(errors === undefined ? {} : { errors })
        },
        tag,
        listsNotFound
      }
    },
    write: ({ code: ours, errors, message: text, status }) => {
      const body: Record<string, unknown> = code === undefined ? { status } : {}
      if (ours !== undefined) Path.put(body, codeAt, theirCode(ours))
      if (text !== undefined) Path.put(body, messageAt, text)
      if (errors !== undefined) Path.put(body, fieldsAt, renamed(errors, theirs))
      return body
    }
  }
}
