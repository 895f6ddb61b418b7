/**
 * How far something is that takes its time: a pure function of when it began and of the time now.
 *
 * Specification: "States and transitions": statuses run from pending through to completed, rejected or error.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Durations } from "../Options.ts"

/** How something can end. */
export const End = Schema.Literals(["COMPLETED", "REJECTED", "ERROR"])
export type End = typeof End.Type

/** The way of something through its statuses. All times are milliseconds since the Unix epoch. */
export const Course = Schema.Struct({
  beganAt: Schema.Finite,
  /** When it is no longer pending. */
  broadcastAt: Schema.Finite,
  endsAt: Schema.Finite,
  end: End
})
export interface Course extends Schema.Schema.Type<typeof Course> {}

/** Done as soon as it is begun. */
export const done = (now: number): Course => ({ beganAt: now, broadcastAt: now, endsAt: now, end: "COMPLETED" })

/** Over a network: what is rejected is never broadcast, and an error shows afterwards. */
export const overNetwork = (now: number, { broadcastingFor, pendingFor }: Durations, end: End): Course => {
  const broadcastAt = now + Duration.toMillis(pendingFor)
  const endsAt = end === "REJECTED" ? broadcastAt : broadcastAt + Duration.toMillis(broadcastingFor)
  return { beganAt: now, broadcastAt, endsAt, end }
}

/** Within the vault. */
export const inVault = (now: number, { transferringFor }: Durations, end: End): Course => {
  const endsAt = now + Duration.toMillis(transferringFor)
  return { beganAt: now, broadcastAt: endsAt, endsAt, end }
}

export const statusAt = ({ broadcastAt, end, endsAt }: Course, now: number): "PENDING" | "BROADCASTING" | End =>
  now >= endsAt ? end : now >= broadcastAt ? "BROADCASTING" : "PENDING"

/** When the status last became another. */
export const changedAt = ({ beganAt, broadcastAt, endsAt }: Course, now: number): number =>
  now >= endsAt ? endsAt : now >= broadcastAt ? broadcastAt : beganAt
