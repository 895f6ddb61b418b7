/**
 * What a success without a payload means: `data: null`, an empty body, or a 204. A proxy may answer with each of them
 * although the service has refused the request, so none counts unless the contract or the service's envelope confirms
 * it. Pure.
 */
import * as Predicate from "effect/Predicate"

/** A success. */
export interface Answer {
  readonly status: number
  /** Its JSON; `undefined` where it has none. */
  readonly body: unknown
  /** What is in the place of the payload. */
  readonly found: unknown
}

/** What is known of the operation, and what its contract says. */
export interface Expected {
  readonly isRead: boolean
  /** Whether the operation promises something, such as an id, or a list of what a change has made. */
  readonly needsPayload: boolean
  /** Whether the contract says where the payload is. */
  readonly isPlaceSaid: boolean
  /** Whether the contract names the status of the answer as one of a success. */
  readonly isStatusNamed: boolean
}

/**
 * - `Payload`: there is one;
 * - `Nothing`: the service says that there is none, so a change is done;
 * - `Unreadable`: nobody can say, so the outcome of a change is unknown.
 */
export type Meaning = "Payload" | "Nothing" | "Unreadable"

/** HTTP says of these that there is no body. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205

export const meaning = ({ body, found, status }: Answer, expected: Expected): Meaning => {
  const { isPlaceSaid, isRead, isStatusNamed, needsPayload } = expected
  if (found !== undefined && found !== null) return "Payload"
  if (needsPayload) return "Unreadable"
  if (isBodiless(status)) return isStatusNamed ? "Nothing" : "Unreadable"
  // An empty body, a body that is not JSON, and a body without that place are all the same: not an answer of the
  // service.
  if (found === undefined) return "Unreadable"
  // A null comes from the service if the contract names its place or, for a change, if the envelope has a message or a
  // status.
  if (isPlaceSaid) return "Nothing"
  const isEnvelope = Predicate.isReadonlyObject(body) && ("message" in body || "status" in body)
  return isEnvelope && !isRead ? "Nothing" : "Unreadable"
}
