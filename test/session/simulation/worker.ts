/** Runs portions of seeds on a thread, with or without a planted bug. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import "./preload.ts"
import { plant } from "../../support/simulation/plant.ts"
import { sessionBugs } from "./bugs.ts"
import type { Counted } from "./world.ts"

export interface Job {
  readonly from: number
  readonly count: number
  /** `true` to print the events of every run. */
  readonly isVerbose: boolean
  /** `true` to end at the first seed that breaks an invariant. */
  readonly stops: boolean
}

export interface Failure {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  /** The fewest faults that break the same invariant. */
  readonly faults: ReadonlyArray<string>
  readonly trace: ReadonlyArray<string>
}

export interface Report {
  readonly seeds: number
  readonly counted: Counted
  readonly played: Readonly<Record<string, number>>
  readonly failures: ReadonlyArray<Failure>
  readonly told: ReadonlyArray<string>
}

const { bug } = workerData as { readonly bug: string | undefined }
if (bug !== undefined) plant(bug, sessionBugs)
// Loaded after the bug is planted, so the modules contain the bug.
const { run } = await import("./run.ts")
const { shrink } = await import("./shrink.ts")

/** The limit of shrunk failures in a portion. The others are only counted. */
const maxShrunk = 2

const play = async ({ count, from, isVerbose, stops }: Job): Promise<Report> => {
  const counted: Counted = { refreshes: 0, rotations: 0, pausedHolders: 0, lost: 0 }
  const played: Record<string, number> = {}
  const failures: Array<Failure> = []
  const told: Array<string> = []
  let seeds = 0
  for (let seed = from; seed < from + count && !(stops && failures.length > 0); seed++) {
    seeds++
    // Weak references are collected only between turns. Without this, a portion keeps the memory of all its runs.
    await nextTurn()
    const ran = run(seed, { trace: isVerbose })
    counted.refreshes += ran.counted.refreshes
    counted.rotations += ran.counted.rotations
    counted.pausedHolders += ran.counted.pausedHolders
    counted.lost += ran.counted.lost
    for (const { kind } of ran.faults) played[kind] = (played[kind] ?? 0) + 1
    told.push(...ran.trace)
    if (ran.violations.length > 0) {
      failures.push({
        seed,
        violations: ran.violations,
        ...(failures.length < maxShrunk ? shrink(seed, ran) : { faults: ["…"], trace: [] })
      })
    }
  }
  return { seeds, counted, played, failures, told }
}

parentPort?.on("message", (job: Job) => {
  void play(job).then((report) => parentPort?.postMessage(report))
})
