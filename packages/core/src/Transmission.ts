/**
 * What a transport can say of a request while it is on its way: the difference between "waiting for a connection" and
 * "may have arrived", which no error and no timeout can tell from outside.
 *
 * A transport that can tell says so; where none does, a request counts as possibly arrived from the moment it is handed
 * over.
 */
import * as Context from "effect/Context"

/** How far a request is. It never goes back. */
export type Progress =
  /** The transport does not say. */
  | "Unknown"
  /** Taken on, and not one byte of it is on a connection. */
  | "Waiting"
  /** A connection was given its first byte, or is about to be. */
  | "Written"

/** One request on its way. The transport writes, the client reads. */
export interface Transmission {
  progress: Progress
}

/** The request that is being sent; none outside of one. */
export const Transmission = Context.Reference<Transmission | undefined>("@effect-custody/core/Transmission", {
  defaultValue: () => undefined
})

/** Before the transport has said anything. */
export const make = (): Transmission => ({ progress: "Unknown" })

/** The transport has taken the request on. From then on it answers for every further step. */
export const waiting = (transmission: Transmission): void => {
  if (transmission.progress === "Unknown") transmission.progress = "Waiting"
}

/** The first byte is about to be written. */
export const written = (transmission: Transmission): void => {
  transmission.progress = "Written"
}
