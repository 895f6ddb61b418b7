/** The faults that are still to be played, and what they make of an exchange. */
import type * as Schema from "effect/Schema"
import type { Fault } from "../Fault.ts"
import * as ExactJson from "./exactJson.ts"

/** A whole answer of the service. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How an exchange ends for the client. Each transport has its own way to show it. */
export type Outcome =
  | { readonly _tag: "Replied"; readonly reply: Reply }
  | { readonly _tag: "Truncated"; readonly reply: Reply; readonly bytes: number }
  | { readonly _tag: "Broken"; readonly code: string }

/** Any operation. */
export const anyOperation = "*"

interface Pending {
  readonly fault: Fault
  times: number
  /** How many requests still pass before it. */
  wait: number
  /** A number from 0 to 1: whether it is this request's turn. */
  readonly chance: () => number
}

/** Numbers from 0 to 1 that look random, and follow from a seed: mulberry32. */
const chanceOf = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pendingOf = (fault: Fault, times: number): Pending => ({
  fault,
  times,
  wait: fault.occasion?.after ?? 0,
  chance: chanceOf(fault.occasion?.seed ?? 1)
})

const isDue = ({ chance, fault, wait }: Pending): boolean =>
  wait === 0 && (fault.occasion?.probability === undefined || chance() < fault.occasion.probability)

export interface Faults {
  readonly add: (operation: string, fault: Fault, times: number) => void
  /** The next fault of an operation, which is used up by it. */
  readonly take: (operation: string | undefined) => Fault | undefined
  readonly clear: () => void
  /** How many are still to be played, by operation. */
  readonly pending: () => Readonly<Record<string, number>>
}

export const makeFaults = (): Faults => {
  const queues = new Map<string, Array<Pending>>()
  /** The fault of this request, and one request less to wait for the others. What ends goes before what does not. */
  const takeFrom = (operation: string, taken: boolean): Fault | undefined => {
    const queue = queues.get(operation)
    if (queue === undefined) return undefined
    const due = taken ? [] : queue.filter(isDue)
    const next = due.find(({ times }) => times !== Infinity) ?? due[0]
    for (const pending of queue) pending.wait = Math.max(0, pending.wait - 1)
    if (next === undefined) return undefined
    next.times--
    if (next.times > 0) return next.fault
    const rest = queue.filter((pending) => pending !== next)
    if (rest.length > 0) queues.set(operation, rest)
    else queues.delete(operation)
    return next.fault
  }
  return {
    add: (operation, fault, times) => {
      if (times <= 0) return
      const queue = queues.get(operation)
      if (queue === undefined) queues.set(operation, [pendingOf(fault, times)])
      else queue.push(pendingOf(fault, times))
    },
    take: (operation) => {
      if (queues.size === 0) return undefined
      const own = operation === undefined ? undefined : takeFrom(operation, false)
      const any = takeFrom(anyOperation, own !== undefined)
      return own ?? any
    },
    clear: () => queues.clear(),
    pending: () =>
      Object.fromEntries(
        Array.from(queues, ([operation, queue]) => [operation, queue.reduce((sum, { times }) => sum + times, 0)])
      )
  }
}

const isRecord = (u: unknown): u is Readonly<Record<string, Schema.Json>> =>
  typeof u === "object" && u !== null && !Array.isArray(u) && !ExactJson.isRaw(u)

/** RFC 7396. */
const merged = (target: unknown, patch: Schema.Json): unknown => {
  if (!isRecord(patch)) return patch
  const result = new Map<string, unknown>(isRecord(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, merged(result.get(name), value))
  }
  return Object.fromEntries(result)
}

const edited = (reply: Reply, patch: Schema.Json): Reply => ({
  ...reply,
  body: JSON.stringify(merged(ExactJson.parseRaw(reply.body), patch))
})

/** How an exchange ends under a fault, given the service's own answer if it acted. Nothing: the client waits for ever. */
export const outcomeOf = ({ ending }: Fault, reply: Reply | undefined): Outcome | undefined => {
  switch (ending._tag) {
    case "Silence":
      return undefined
    case "Break":
      return { _tag: "Broken", code: ending.code }
    case "Replacement":
      return { _tag: "Replied", reply: ending }
  }
  // The rest changes the service's own answer: without one there is nothing to show.
  if (reply === undefined) return { _tag: "Broken", code: "ECONNRESET" }
  switch (ending._tag) {
    case "Answer":
      return { _tag: "Replied", reply }
    case "Truncation":
      return { _tag: "Truncated", reply, bytes: ending.bytes }
    case "Edit":
      return { _tag: "Replied", reply: edited(reply, ending.patch) }
  }
}
