/** Starts, instructs, kills and freezes worker processes, and records their history. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import type { Entry } from "./history.ts"
import { clock, type Call, type Phase, type TimedMessage, type Start, type Instruction } from "./protocol.ts"

/** The live processes. They end with this process, even if they are frozen. */
const living = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL")
})

/** A worker process, from its start to its end. */
export class Worker {
  readonly name: string
  readonly history: Array<Entry>
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  /** The result of each round of a session, `undefined` until it is known. */
  readonly results = new Map<string, string | undefined>()
  /** The calls that have ended, with their times. */
  readonly calls: Array<Call & { readonly at: number }> = []
  /** Its log lines, with the reason if it cannot start or continue. */
  readonly logLines: Array<string> = []
  isReady = false
  isFrozen = false
  #listeners: Array<(message: TimedMessage) => void> = []

  constructor(
    name: string,
    start: Start,
    history: Array<Entry>,
    program = Path.join(import.meta.dirname, "worker.ts")
  ) {
    this.name = name
    this.history = history
    const args = [program, JSON.stringify(start), name]
    this.child = spawn(process.execPath, args, { stdio: "pipe" })
    living.add(this.child)
    this.child.once("exit", () => living.delete(this.child))
    this.exited = once(this.child, "exit")
    // A killed worker closes its input.
    this.child.stdin!.on("error", () => {})
    createInterface({ input: this.child.stderr! }).on("line", (line) => this.logLines.push(line))
    createInterface({ input: this.child.stdout! }).on("line", (line) => this.#receive(line))
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  #receive(line: string): void {
    if (!line.startsWith("{")) return void this.logLines.push(line)
    const message: TimedMessage = JSON.parse(line)
    if (message.what === "ready") this.isReady = true
    if (message.what === "read") this.results.set(`${message.identity} ${message.round}`, message.tag)
    else if (message.what === "call") this.calls.push(message)
    else this.history.push({ ...message, worker: this.name })
    for (const listener of this.#listeners) listener(message)
  }

  instruct(instruction: Instruction): void {
    this.results.set(`${instruction.identity} ${instruction.round}`, undefined)
    this.child.stdin!.write(`${JSON.stringify(instruction)}\n`)
  }

  /** Waits until the worker reports a phase, for at most `maxMillis`. */
  awaitPhase(phase: Phase, maxMillis: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const listener = ({ what }: TimedMessage) => {
        if (what === phase) resume(Effect.void)
      }
      this.#listeners.push(listener)
      return Effect.sync(() => {
        this.#listeners = this.#listeners.filter((other) => other !== listener)
      })
    }).pipe(Effect.timeoutOption(maxMillis), Effect.asVoid)
  }

  kill(): Effect.Effect<void> {
    return Effect.promise(() => {
      this.child.kill("SIGKILL")
      this.history.push({ what: "killed", worker: this.name, at: clock() })
      return this.exited
    })
  }

  /** Ends it as a deployment does. It must end some time. */
  terminate(): Effect.Effect<unknown> {
    return Effect.promise(() => {
      this.child.kill("SIGTERM")
      return this.exited
    }).pipe(
      Effect.timeoutOrElse({
        duration: "5 minutes",
        orElse: () => Effect.die(new Error(`${this.name} did not end after SIGTERM`))
      })
    )
  }

  freeze(millis: number): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.isFrozen = true
        this.child.kill("SIGSTOP")
        this.history.push({ what: "stopped", worker: this.name, at: clock() })
      }),
      () => Effect.sleep(millis),
      // This also runs when the run ends: a frozen process could not store its answer.
      () =>
        Effect.sync(() => {
          this.history.push({ what: "resumed", worker: this.name, at: clock() })
          this.child.kill("SIGCONT")
          this.isFrozen = false
        })
    )
  }
}

/** Waits until a condition holds. Dies with `description` after the seconds. */
export const until = (description: () => string, holds: () => boolean, seconds: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const end = clock() + seconds * 1000
    return Effect.whileLoop({
      while: () => !holds(),
      body: () =>
        clock() > end ? Effect.die(new Error(`not within ${seconds} s: ${description()}`)) : Effect.sleep("10 millis"),
      step: () => {}
    })
  })
