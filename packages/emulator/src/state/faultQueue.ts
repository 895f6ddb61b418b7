/** The pending faults, by operation. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Fault } from "../model/Fault.ts"

const anyOperation = "*"

export interface Pending {
  readonly id: number
  readonly operation: string
  readonly fault: Fault
  times: number
  /** The number of requests that pass before the fault is due. */
  wait: number
  /** Draws the numbers to compare with the fault's probability. */
  readonly random: typeof Random.Random.Service
}

const makePending = (id: number, operation: string, fault: Fault, times: number): Pending => ({
  id,
  operation,
  fault,
  times,
  wait: fault.occasion?.after ?? 0,
  random: Effect.runSync(Random.withSeed(Effect.service(Random.Random), fault.occasion?.seed ?? 1))
})

const isDue = ({ fault, random, wait }: Pending): boolean =>
  wait === 0 && (fault.occasion?.probability === undefined || random.nextDoubleUnsafe() < fault.occasion.probability)

export interface FaultQueue {
  readonly add: (operation: string, fault: Fault, times: number) => void
  /** Takes the fault for the next request of an operation, if one is due. */
  readonly take: (operation: string | undefined) => Fault | undefined
  readonly clear: () => void
  readonly pending: () => ReadonlyArray<Pending>
}

export const makeFaultQueue = (): FaultQueue => {
  const queues = new Map<string, Array<Pending>>()
  let newest = 0
  const removeFrom = (operation: string, removed: Pending): void => {
    const rest = (queues.get(operation) ?? []).filter((pending) => pending !== removed)
    if (rest.length > 0) queues.set(operation, rest)
    else queues.delete(operation)
  }
  /**
   * Takes the due fault of a queue, unless the request already has a fault (`taken`). Takes a fault with a finite count
   * before an infinite one. In any case, counts down `wait` of each fault in the queue.
   */
  const takeFrom = (operation: string, taken: boolean): Fault | undefined => {
    const queue = queues.get(operation)
    if (queue === undefined) return undefined
    const due = taken ? [] : queue.filter(isDue)
    const next = due.find(({ times }) => times !== Infinity) ?? due[0]
    for (const pending of queue) pending.wait = Math.max(0, pending.wait - 1)
    if (next === undefined) return undefined
    next.times--
    if (next.times > 0) return next.fault
    removeFrom(operation, next)
    return next.fault
  }
  return {
    add: (operation, fault, times) => {
      if (times <= 0) return
      const queue = queues.get(operation)
      const pending = makePending(++newest, operation, fault, times)
      if (queue === undefined) queues.set(operation, [pending])
      else queue.push(pending)
    },
    take: (operation) => {
      if (queues.size === 0) return undefined
      const own = operation === undefined ? undefined : takeFrom(operation, false)
      const any = takeFrom(anyOperation, own !== undefined)
      return own ?? any
    },
    clear: () => queues.clear(),
    pending: () => [...queues.values()].flat().toSorted((a, b) => a.id - b.id)
  }
}
