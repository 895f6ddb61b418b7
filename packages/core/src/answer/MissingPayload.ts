/**
 * What a success without a payload means: `data: null`, an empty body, or a 204. A proxy may send each of them, so none
 * counts unless the contract or the service's envelope confirms it. Pure.
 */
import * as Predicate from "effect/Predicate"

export interface Answer {
  readonly status: number
  /** Its JSON; `undefined` where it has none. */
  readonly body: unknown
  /** What is in the place of the payload. */
  readonly found: unknown
}

export interface Expected {
  readonly isRead: boolean
  /** Whether the operation promises something, such as an id, or a list of what a change has made. */
  readonly needsPayload: boolean
  /** Whether the contract says where the payload is. */
  readonly isPlaceDeclared: boolean
  /** Whether the contract names the status of the answer as one of a success. */
  readonly isStatusNamed: boolean
}

/** HTTP says of these that there is no body. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205

/**
 * `Nothing`: the service says that there is no payload, so a change is done. `Unreadable`: nobody can say, so the outcome
 * of a change is unknown.
 */
export const meaning = (
  { body, found, status }: Answer,
  { isPlaceDeclared, isRead, isStatusNamed, needsPayload }: Expected
): "Payload" | "Nothing" | "Unreadable" => {
  if (found !== undefined && found !== null) return "Payload"
  if (needsPayload) return "Unreadable"
  if (isBodiless(status)) return isStatusNamed ? "Nothing" : "Unreadable"
  // An empty body, one that is not JSON, and one without that place are all the same: no answer of the service.
  if (found === undefined) return "Unreadable"
  // A null is the service's if the contract names its place or, for a change, if the envelope has a message or a status.
  const isEnvelope = Predicate.isReadonlyObject(body) && ("message" in body || "status" in body)
  return isPlaceDeclared || (isEnvelope && !isRead) ? "Nothing" : "Unreadable"
}
