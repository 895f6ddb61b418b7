/** Virtual time, and virtual processes that can be killed and paused. Nothing here knows what they do. */
import type { Clock } from "effect/Clock"
import * as ClockModule from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import type { Chance } from "./chance.ts"

/** The hour at which every run starts. */
const epoch = 1_760_000_000_000

interface Happening {
  readonly at: number
  readonly order: number
  readonly process: Process | undefined
  readonly run: () => void
  /** Whether it arrives on a connection: a process that was paused reads it after the timers that are due. */
  readonly isRead: boolean
}

/** A process: a memory and fibers, which are gone when it is killed. */
export interface Process {
  readonly name: string
  /** What its clock is ahead of the true time, in milliseconds. */
  skew: number
  isAlive: boolean
  /** It does nothing before this moment. */
  pausedUntil: number
  /** The longest pause that it has had. */
  readonly pauses: Array<{ readonly from: number; readonly to: number }>
  diedAt: number | undefined
  readonly context: Context.Context<never>
  readonly tasks: Array<() => void>
  /** What has arrived on its connections while it was paused. */
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

  /** Something happens after a while, in the world or in a process; in a paused one, when it goes on. */
  after(millis: number, run: () => void, process?: Process): void {
    this.push({ at: this.time + millis, order: this.order++, process, run, isRead: false })
  }

  /** Something arrives on a connection of a process. */
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
      let least = index
      if (left < heap.length && earlier(heap[left]!, heap[least]!)) least = left
      if (left + 1 < heap.length && earlier(heap[left + 1]!, heap[least]!)) least = left + 1
      if (least === index) return first
      ;[heap[index], heap[least]] = [heap[least]!, heap[index]!]
      index = least
    }
  }

  /** Lets things happen until nothing is left to, or the time is over. */
  run(until: number): void {
    for (;;) {
      const next = this.heap[0]
      if (next === undefined || next.at > until) break
      this.pop()
      const { process } = next
      this.time = next.at
      if (process !== undefined) {
        if (!process.isAlive) continue
        if (process.pausedUntil > this.time) {
          if (!next.isRead) this.push({ ...next, at: process.pausedUntil })
          else {
            process.unread.push(next.run)
            // When it goes on, it reads its connections after the timers that were due meanwhile.
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

  /** Whether a process that has gone on after a pause has timers to run before it reads what has arrived. */
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
      pauses: [],
      diedAt: undefined,
      tasks,
      unread: [],
      context: Context.empty()
    }
    const context = Context.make(ClockModule.Clock, this.clockOf(process)).pipe(
      Context.add(Scheduler.Scheduler, scheduler),
      // Nobody reads the spans of a run.
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

  /** Runs an effect in a process from now on. */
  start<A, E>(process: Process, effect: Effect.Effect<A, E>): void {
    Effect.runForkWith(process.context)(effect)
    if (process.pausedUntil <= this.time) drain(process)
    else this.after(process.pausedUntil - this.time, () => {}, process)
  }

  /** Its fibers never run again; its memory is gone. */
  kill(process: Process): void {
    process.isAlive = false
    process.diedAt = this.time
    process.tasks.length = 0
    process.unread.length = 0
  }

  /** Stops a process together with all others: none of them can have missed what another did. */
  freeze(process: Process, millis: number): void {
    process.pausedUntil = Math.max(process.pausedUntil, this.time + millis)
  }

  pause(process: Process, millis: number): void {
    this.freeze(process, millis)
    process.pauses.push({ from: this.time, to: process.pausedUntil })
  }

  /** The true time, as the service's clock shows it. */
  now(): number {
    return Math.floor(epoch + this.time)
  }
}

const earlier = (a: Happening, b: Happening): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Runs what was put off, turn by turn. Each turn of an event loop reads the connections first. */
const drain = (process: Process): void => {
  const { tasks, unread } = process
  while (tasks.length > 0 || unread.length > 0) {
    for (const run of [...unread.splice(0), ...tasks.splice(0)]) {
      run()
      // Killed in the middle of what it did.
      if (!process.isAlive) return
    }
  }
}
