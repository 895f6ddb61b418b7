/** Where the rows of a list stand in an answer. Pure. */
import * as Predicate from "effect/Predicate"

/** The rows of a list, and the object around them if they are its `items`. */
export interface Rows {
  readonly rows: unknown
  readonly holder: Readonly<Record<string, unknown>> | undefined
}

/** Takes the rows out of `{ items: [...] }`. */
export const rowsOf = (found: unknown): Rows =>
  Predicate.isReadonlyObject(found) && Array.isArray(found["items"])
    ? { rows: found["items"], holder: found }
    : { rows: found, holder: undefined }
