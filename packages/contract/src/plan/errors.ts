/** Converts error bodies between the service's form and the specification's form. Pure. */
import * as Predicate from "effect/Predicate"
import * as ApiError from "@effect-custody/core/ApiError"
import type { Defaults } from "../language/ContractFile.ts"
import type { ErrorReading } from "@effect-custody/core/Wires"
import * as Path from "./path.ts"

type Errors = NonNullable<Defaults["errors"]>

export interface ErrorWire {
  readonly read: (body: unknown) => ErrorReading
  readonly write: (ours: { readonly [name: string]: unknown }) => unknown
}

const changesBody = (errors: Errors): boolean => Object.keys(errors).some((key) => key !== "doubtful" && key !== "when")

/** Renames the keys of an object that holds the error messages of each field. A list becomes an object by index. */
const renamed = (errors: unknown, names: ReadonlyMap<string, string>): unknown =>
  Predicate.isObjectOrArray(errors)
    ? Object.fromEntries(Object.entries(errors).map(([name, each]) => [names.get(name) ?? name, each]))
    : errors

/**
 * Makes the conversion of error bodies from a contract. A body with a code in the place that the contract names is the
 * service's own. Without such a place, a message in its place is enough. `names` maps the service's names of
 * input fields to ours.
 */
export const make = (entry: Errors, names: ReadonlyMap<string, string>): ErrorWire => {
  if (!changesBody(entry) && [...names].every(([their, our]) => their === our)) {
    return { read: (body) => ({ body, tag: undefined }), write: (ours) => ours }
  }
  const { code, doubtful = [], fields, message, tags = {} } = entry
  const codeAt = Path.parse(code ?? "code")
  const messageAt = Path.parse(message ?? "message")
  const fieldsAt = Path.parse(fields ?? "errors")
  const listsNotFound = doubtful.includes(404) || Object.values(tags).includes("NotFound")
  const theirs = new Map([...names].map(([their, our]) => [our, their]))
  const theirCode = (ours: unknown): unknown =>
    Object.entries(tags).find(
      ([, tag]) => tag !== "NotFound" && ApiError.codes[tag].some((each) => each === String(ours))
    )?.[0] ?? ours
  return {
    read: (body) => {
      const found = Path.at(body, codeAt)
      const sent = typeof found === "string" || typeof found === "number" ? String(found) : undefined
      const text = Path.at(body, messageAt)
      const errors = renamed(Path.at(body, fieldsAt), names)
      const isOwn =
        code !== undefined ? sent !== undefined : message === undefined ? undefined : typeof text === "string"
      return {
        body: {
          ...(sent === undefined ? {} : { code: sent }),
          ...(text === undefined ? {} : { message: text }),
          ...(errors === undefined ? {} : { errors })
        },
        tag: sent !== undefined && Object.hasOwn(tags, sent) ? tags[sent] : undefined,
        listsNotFound,
        isOwn
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
