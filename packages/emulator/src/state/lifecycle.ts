/**
 * The lifecycle of a transaction. The status is a pure function of the lifecycle and the current time.
 *
 * Specification: "States and transitions": statuses run from pending through to completed, rejected or error.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Durations } from "../model/Settings.ts"

export const End = Schema.Literals(["COMPLETED", "REJECTED", "ERROR"])
export type End = typeof End.Type

/** The time at which each status starts, and the final status. All times are milliseconds since the Unix epoch. */
export const Lifecycle = Schema.Struct({
  createdAt: Schema.Finite,
  broadcastAt: Schema.Finite,
  endsAt: Schema.Finite,
  end: End
})
export interface Lifecycle extends Schema.Schema.Type<typeof Lifecycle> {}

/** The lifecycle of a transaction that completes at once. */
export const completed = (now: number): Lifecycle => ({
  createdAt: now,
  broadcastAt: now,
  endsAt: now,
  end: "COMPLETED"
})

/** A lifecycle on a blockchain. A rejected transaction is never broadcast. An error shows only after the broadcast. */
export const onChain = (now: number, { broadcastingFor, pendingFor }: Durations, end: End): Lifecycle => {
  const broadcastAt = now + Duration.toMillis(pendingFor)
  const endsAt = end === "REJECTED" ? broadcastAt : broadcastAt + Duration.toMillis(broadcastingFor)
  return { createdAt: now, broadcastAt, endsAt, end }
}

/** A lifecycle within the vault, without a blockchain. */
export const offChain = (now: number, { transferringFor }: Durations, end: End): Lifecycle => {
  const endsAt = now + Duration.toMillis(transferringFor)
  return { createdAt: now, broadcastAt: endsAt, endsAt, end }
}

export const statusAt = ({ broadcastAt, end, endsAt }: Lifecycle, now: number): "PENDING" | "BROADCASTING" | End =>
  now >= endsAt ? end : now >= broadcastAt ? "BROADCASTING" : "PENDING"

/** The time at which the status last changed. */
export const changedAt = ({ broadcastAt, createdAt, endsAt }: Lifecycle, now: number): number =>
  now >= endsAt ? endsAt : now >= broadcastAt ? broadcastAt : createdAt
