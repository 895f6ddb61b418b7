/**
 * Decides the meaning of a success without a payload: `data: null`, an empty body, or a 204. A proxy may send any of
 * them, so each counts only if the `ServiceContract` or the envelope confirms it. Pure.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"

export interface Answer {
  readonly status: number
  /** The body's JSON; `undefined` if the body is not JSON. */
  readonly body: unknown
  /** The value in the place of the payload. */
  readonly found: unknown
}

export interface Expected {
  readonly isRead: boolean
  /** `true` if a success must have a payload, such as an id, or a list of created records. */
  readonly needsPayload: boolean
  /** `true` if the contract declares the place of the payload. */
  readonly isPlaceDeclared: boolean
  /** `true` if the contract lists the status of the answer as a success. */
  readonly isStatusNamed: boolean
}

/** `true` for the statuses that have no body in HTTP. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205

/**
 * `Nothing`: the service itself answers with success and without a payload, so a change has taken effect. `Unreadable`:
 * the answer may not be the service's, or lacks a required payload, so the outcome of a change is unknown.
 */
export const meaning = (
  { body, found, status }: Answer,
  { isPlaceDeclared, isRead, isStatusNamed, needsPayload }: Expected
): "Payload" | "Nothing" | "Unreadable" => {
  if (found !== undefined && found !== null) return "Payload"
  if (needsPayload) return "Unreadable"
  if (isBodiless(status)) return isStatusNamed ? "Nothing" : "Unreadable"
  // An empty body, a body that is not JSON, and a body without the payload's key may not come from the service.
  if (found === undefined) return "Unreadable"
  // A null counts as sent by the service, not by a proxy, in two cases: the contract declares the place of the
  // payload, or the operation changes something and the envelope has a message or a status.
  const isEnvelope = Predicate.isReadonlyObject(body) && ("message" in body || "status" in body)
  return isPlaceDeclared || (isEnvelope && !isRead) ? "Nothing" : "Unreadable"
}
