/** The worker processes: started, listened to, killed and frozen, with a history of all of it. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import type { Entry } from "./history.ts"
import { clock, type Phase, type Said, type Start, type Told } from "./protocol.ts"

/** Processes that do not outlive this one, not even frozen. */
const living = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL")
})

/** A process, from its start to its end. */
export class Worker {
  readonly name: string
  readonly history: Array<Entry>
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  /** What it was told in each round of a session, and how that went. */
  readonly asked = new Map<string, string | undefined>()
  /** What it logs: why it could not start, or go on. */
  readonly complaints: Array<string> = []
  isReady = false
  isFrozen = false
  #listeners: Array<(said: Said) => void> = []

  constructor(name: string, start: Start, history: Array<Entry>) {
    this.name = name
    this.history = history
    const args = [Path.join(import.meta.dirname, "worker.ts"), JSON.stringify(start), name]
    this.child = spawn(process.execPath, args, { stdio: "pipe" })
    living.add(this.child)
    this.child.once("exit", () => living.delete(this.child))
    this.exited = once(this.child, "exit")
    // Whoever is killed no longer listens.
    this.child.stdin!.on("error", () => {})
    createInterface({ input: this.child.stderr! }).on("line", (line) => this.complaints.push(line))
    createInterface({ input: this.child.stdout! }).on("line", (line) => this.#hear(line))
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  #hear(line: string): void {
    if (!line.startsWith("{")) return void this.complaints.push(line)
    const said: Said = JSON.parse(line)
    if (said.what === "ready") this.isReady = true
    if (said.what === "read") this.asked.set(`${said.identity} ${said.round}`, said.tag)
    else this.history.push({ ...said, worker: this.name })
    for (const listener of this.#listeners) listener(said)
  }

  tell(told: Told): void {
    this.asked.set(`${told.identity} ${told.round}`, undefined)
    this.child.stdin!.write(`${JSON.stringify(told)}\n`)
  }

  /** When it next says that it is in a phase; or after so many milliseconds, or when it is gone. */
  inPhase(phase: Phase, millis: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const listener = ({ what }: Said) => {
        if (what === phase) resume(Effect.void)
      }
      this.#listeners.push(listener)
      return Effect.sync(() => {
        this.#listeners = this.#listeners.filter((other) => other !== listener)
      })
    }).pipe(Effect.timeoutOption(millis), Effect.asVoid)
  }

  kill(): Effect.Effect<void> {
    return Effect.promise(() => {
      this.child.kill("SIGKILL")
      this.history.push({ what: "killed", worker: this.name, at: clock() })
      return this.exited
    })
  }

  freeze(millis: number): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.isFrozen = true
        this.child.kill("SIGSTOP")
        this.history.push({ what: "stopped", worker: this.name, at: clock() })
      }),
      () => Effect.sleep(millis),
      // Also when the run ends: a process that stays frozen could not store its answer.
      () =>
        Effect.sync(() => {
          this.history.push({ what: "resumed", worker: this.name, at: clock() })
          this.child.kill("SIGCONT")
          this.isFrozen = false
        })
    )
  }
}

/** Waits for something that a process of its own does. */
export const until = (what: () => string, holds: () => boolean, seconds: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const end = clock() + seconds * 1000
    return Effect.whileLoop({
      while: () => !holds(),
      body: () =>
        clock() > end ? Effect.die(new Error(`not within ${seconds} s: ${what()}`)) : Effect.sleep("10 millis"),
      step: () => {}
    })
  })
