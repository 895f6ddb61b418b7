/** The faults that are still to be played, and what they make of an exchange. */
import type * as Schema from "effect/Schema"
import type { Fault } from "../Fault.ts"

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
}

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
  const takeFrom = (operation: string): Fault | undefined => {
    const queue = queues.get(operation)
    const next = queue?.[0]
    if (queue === undefined || next === undefined) return undefined
    next.times--
    if (next.times <= 0) queue.shift()
    if (queue.length === 0) queues.delete(operation)
    return next.fault
  }
  return {
    add: (operation, fault, times) => {
      if (times <= 0) return
      const queue = queues.get(operation)
      if (queue === undefined) queues.set(operation, [{ fault, times }])
      else queue.push({ fault, times })
    },
    take: (operation) =>
      queues.size === 0
        ? undefined
        : ((operation === undefined ? undefined : takeFrom(operation)) ?? takeFrom(anyOperation)),
    clear: () => queues.clear(),
    pending: () =>
      Object.fromEntries(
        Array.from(queues, ([operation, queue]) => [operation, queue.reduce((sum, { times }) => sum + times, 0)])
      )
  }
}

const isRecord = (u: unknown): u is Readonly<Record<string, Schema.Json>> =>
  typeof u === "object" && u !== null && !Array.isArray(u)

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
  body: JSON.stringify(merged(JSON.parse(reply.body), patch))
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
