/** The events of an emulator, in their order. */
import * as DateTime from "effect/DateTime"
import type { EmulatorEvent } from "../model/EmulatorEvent.ts"

type WithoutNumber<E> = E extends unknown ? Omit<E, "sequence" | "at"> : never

/** An event before it has a number. */
export type Change = WithoutNumber<EmulatorEvent>

export interface EventLog {
  /** Adds an event at the time `at`, after the scheduled events that are due by then. */
  readonly add: (at: number, change: Change) => void
  /** Adds an event when the time `at` comes. */
  readonly schedule: (at: number, change: Change) => void
  /** The events after a sequence number, at most 500. Includes the scheduled events that are due `now`. */
  readonly after: (sequence: number, now: number) => ReadonlyArray<EmulatorEvent>
  /** The number of the newest event, or 0. */
  readonly newest: () => number
  /** The time of the next scheduled event, or `Infinity`. */
  readonly nextAt: () => number
  /** Calls a listener at each change. Returns a function that removes the listener. */
  readonly listen: (listener: () => void) => () => void
}

/** How many of the newest events the log keeps. */
const maxEvents = 100_000

const maxPage = 500

export const makeEventLog = (): EventLog => {
  let events: Array<EmulatorEvent> = []
  let scheduled: Array<{ readonly at: number; readonly change: Change }> = []
  let nextAt = Infinity
  let sequence = 0
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const push = (at: number, change: Change) => {
    events.push({ ...change, sequence: ++sequence, at: DateTime.makeUnsafe(at) } as EmulatorEvent)
    // Trim in bulk, because removing events one by one would move the whole array each time.
    if (events.length >= 1.25 * maxEvents) events = events.slice(-maxEvents)
  }
  const passTo = (now: number) => {
    if (now < nextAt) return
    const due = scheduled.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    scheduled = scheduled.filter(({ at }) => at > now)
    nextAt = scheduled.reduce((next, { at }) => Math.min(next, at), Infinity)
    for (const { at, change } of due) push(at, change)
    notify()
  }
  return {
    add: (at, change) => {
      passTo(at)
      push(at, change)
      notify()
    },
    schedule: (at, change) => {
      scheduled.push({ at, change })
      nextAt = Math.min(nextAt, at)
      notify()
    },
    after: (after, now) => {
      passTo(now)
      const first = Math.max(0, after - sequence + events.length)
      return events.slice(first, first + maxPage)
    },
    newest: () => sequence,
    nextAt: () => nextAt,
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
