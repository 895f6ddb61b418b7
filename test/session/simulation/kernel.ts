/** Virtual time, and virtual processes that can be killed and paused. Independent of their programs. */
import type { Clock } from "effect/Clock"
import * as ClockModule from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import type { Chance } from "./chance.ts"

/** The start time of every run. */
const epoch = 1_760_000_000_000

interface Happening {
  readonly at: number
  readonly order: number
  readonly process: Process | undefined
  readonly run: () => void
  /** `true` if it arrives on a connection. A process reads it after a pause, after its due timers. */
  readonly isRead: boolean
}

/** A process with memory and fibers. A kill removes them. */
export interface Process {
  readonly name: string
  /** The difference of its clock from the true time, in milliseconds. */
  skew: number
  isAlive: boolean
  /** The process does nothing before this moment. */
  pausedUntil: number
  /** `true` between its calls, on a runtime that freezes a process then. */
  isFrozen: boolean
  /** Its events since it was frozen. */
  readonly held: Array<() => void>
  /** Its pauses. */
  readonly pauses: Array<{ readonly from: number; readonly to: number }>
  diedAt: number | undefined
  readonly context: Context.Context<never>
  readonly tasks: Array<() => void>
  /** The unread arrivals on its connections from a pause. */
  readonly unread: Array<() => void>
}

export class Kernel {
  time = 0
  private readonly heap: Array<Happening> = []
  private order = 0
  private readonly chance: Chance

  constructor(chance: Chance) {
    this.chance = chance
  }

  /** Runs an event after a delay, in the world or in a process. A paused process runs it after the pause. */
  after(millis: number, run: () => void, process?: Process): void {
    this.push({ at: this.time + millis, order: this.order++, process, run, isRead: false })
  }

  /** Delivers data on a connection of a process after a delay. */
  arrives(millis: number, process: Process, run: () => void): void {
    this.push({ at: this.time + millis, order: this.order++, process, run, isRead: true })
  }

  private push(happening: Happening): void {
    const { heap } = this
    let index = heap.push(happening) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!earlier(heap[index]!, heap[parent]!)) break
      ;[heap[index], heap[parent]] = [heap[parent]!, heap[index]!]
      index = parent
    }
  }

  private pop(): Happening | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      let smallest = index
      if (left < heap.length && earlier(heap[left]!, heap[smallest]!)) smallest = left
      if (left + 1 < heap.length && earlier(heap[left + 1]!, heap[smallest]!)) smallest = left + 1
      if (smallest === index) return first
      ;[heap[index], heap[smallest]] = [heap[smallest]!, heap[index]!]
      index = smallest
    }
  }

  /** Runs the events until none is left, or the time is over. */
  run(until: number): void {
    for (;;) {
      const next = this.heap[0]
      if (next === undefined || next.at > until) break
      this.pop()
      const { process } = next
      this.time = next.at
      if (process !== undefined) {
        if (!process.isAlive) continue
        if (process.isFrozen) {
          if (next.isRead) process.unread.push(next.run)
          else process.held.push(next.run)
          continue
        }
        if (process.pausedUntil > this.time) {
          if (!next.isRead) this.push({ ...next, at: process.pausedUntil })
          else {
            process.unread.push(next.run)
            // After the pause, it reads its connections after its due timers.
            this.after(process.pausedUntil - this.time, () => {}, process)
          }
          continue
        }
      }
      next.run()
      if (process !== undefined && !this.hasOverslept(process)) drain(process)
    }
    this.time = Math.max(this.time, until)
  }

  /** `true` if a process has due timers to run after a pause before it reads its connections. */
  private hasOverslept(process: Process): boolean {
    return process.unread.length > 0 && this.heap.some((next) => next.process === process && next.at <= this.time)
  }

  process(name: string): Process {
    const tasks: Array<() => void> = []
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (task) => void tasks.push(task),
      flush: () => {}
    }
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: () => false,
      makeDispatcher: () => dispatcher
    }
    const process: Process = {
      name,
      skew: 0,
      isAlive: true,
      pausedUntil: 0,
      isFrozen: false,
      held: [],
      pauses: [],
      diedAt: undefined,
      tasks,
      unread: [],
      context: Context.empty()
    }
    const context = Context.make(ClockModule.Clock, this.clockOf(process)).pipe(
      Context.add(Scheduler.Scheduler, scheduler),
      // No code reads the spans of a run.
      Context.add(References.TracerEnabled, false),
      Context.add(Random.Random, {
        nextIntUnsafe: () => this.chance.integer(0, Number.MAX_SAFE_INTEGER - 1),
        nextDoubleUnsafe: () => this.chance.next()
      })
    )
    return Object.assign(process, { context })
  }

  private clockOf(process: Process): Clock {
    const millis = () => Math.floor(epoch + this.time + process.skew)
    const monotonic = () => BigInt(Math.floor(this.time * 1_000_000))
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => {
        const wait = Duration.toMillis(duration)
        if (!Number.isFinite(wait)) return Effect.never
        return Effect.callback<void>((resume) => {
          let isOff = false
          this.after(Math.max(0, wait), () => (isOff ? undefined : resume(Effect.void)), process)
          return Effect.sync(() => {
            isOff = true
          })
        })
      }
    }
  }

  /** Starts an effect in a process. */
  start<A, E>(process: Process, effect: Effect.Effect<A, E>): void {
    this.thaw(process)
    Effect.runForkWith(process.context)(effect)
    if (process.pausedUntil <= this.time) drain(process)
    else this.after(process.pausedUntil - this.time, () => {}, process)
  }

  /** Kills a process: its fibers never run again, and its memory is lost. */
  kill(process: Process): void {
    process.isAlive = false
    process.diedAt = this.time
    process.tasks.length = 0
    process.held.length = 0
    process.unread.length = 0
  }

  /** Freezes a process together with all others, so that none misses an act of another. */
  freeze(process: Process, millis: number): void {
    process.pausedUntil = Math.max(process.pausedUntil, this.time + millis)
  }

  /** Thaws a process. Its due timers run first, and then it reads its connections. */
  thaw(process: Process): void {
    if (!process.isFrozen) return
    process.isFrozen = false
    for (const run of process.held.splice(0)) this.after(0, run, process)
    this.after(0, () => {}, process)
  }

  pause(process: Process, millis: number): void {
    this.freeze(process, millis)
    process.pauses.push({ from: this.time, to: process.pausedUntil })
  }

  /** The true time, which is the service's clock. */
  now(): number {
    return Math.floor(epoch + this.time)
  }
}

const earlier = (a: Happening, b: Happening): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Runs the delayed work turn by turn. Each turn of an event loop first reads the connections. */
const drain = (process: Process): void => {
  const { tasks, unread } = process
  while (tasks.length > 0 || unread.length > 0) {
    for (const run of [...unread.splice(0), ...tasks.splice(0)]) {
      run()
      // The process was killed meanwhile.
      if (!process.isAlive) return
    }
  }
}
