/**
 * `pnpm simulate ledger --seeds N --from S`: plays many schedules of the ledger on all cores. Exits with 1 and prints the
 * seed if a payout was paid twice, was lost, or did not end. `--seeds 1 --from SEED --verbose` plays a schedule again and
 * prints its history. `--stop` ends the share of a core at the first mistake. `--bug NAME` plants a bug of `bugs.ts`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { plant } from "../plant.ts"
import { ledgerBugs } from "./bugs.ts"
import type { Report } from "./simulation.ts"

if (!isMainThread && workerData.bug !== undefined) plant(workerData.bug, ledgerBugs)
// Loaded after the bug is planted, so the modules contain the bug.
const { simulate } = await import("./simulation.ts")

/** The seeds of one core. */
interface Share {
  readonly bug: string | undefined
  readonly from: number
  readonly seeds: number
  /** `true` to end at the first mistake. */
  readonly stop: boolean
}

const play = ({ from, seeds, stop }: Share): Effect.Effect<ReadonlyArray<Report>> =>
  Effect.gen(function* () {
    const reports: Array<Report> = []
    for (let seed = from; seed < from + seeds; seed++) {
      const report = yield* simulate(seed).pipe(
        Effect.provide(TestClock.layer(), { local: true }),
        Effect.catchCause((cause) => Effect.die(new Error(`seed ${seed}: ${Cause.pretty(cause)}`)))
      )
      // The history of a schedule without a mistake is long, and nobody reads it.
      reports.push(report.mistakes.length > 0 || seeds === 1 ? report : { ...report, history: [] })
      if (stop && report.mistakes.length > 0) break
    }
    return reports
  })

const playOnThread = (share: Share): Promise<ReadonlyArray<Report>> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once("message", (reports) => {
      resolve(reports)
      void worker.terminate()
    })
    worker.once("error", (error) => reject(new Error(`the seeds from ${share.from} failed`, { cause: error })))
  })

const divide = (from: number, seeds: number, rest: Omit<Share, "from" | "seeds">): ReadonlyArray<Share> => {
  const parts = Math.min(availableParallelism(), Math.ceil(seeds / 20))
  const size = Math.ceil(seeds / parts)
  return Array.from({ length: parts }, (_, at) => ({
    from: from + at * size,
    seeds: Math.min(size, seeds - at * size),
    ...rest
  }))
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "2000" },
      from: { type: "string", default: "1" },
      stop: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      bug: { type: "string" }
    }
  })
  const seeds = Number(values.seeds)
  const from = Number(values.from)
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from) || from < 0) {
    throw new Error("--seeds must be a positive integer, --from an integer of 0 or more")
  }
  const begun = performance.now()
  const { bug, stop, verbose } = values
  const reports = (await Promise.all(divide(from, seeds, { bug, stop }).map(playOnThread))).flat()
  if (verbose) for (const report of reports) console.log(JSON.stringify(report, undefined, 2))
  const mistakes = reports.flatMap(({ history, mistakes, seed }) =>
    mistakes.map((mistake) => `seed ${seed}: ${mistake}: ${history.join(" · ")}`)
  )
  const sum = (of: (report: Report) => number) => reports.reduce((total, report) => total + of(report), 0)
  const seconds = (performance.now() - begun) / 1_000
  console.log(
    [
      `${reports.length} schedules, seeds ${from} to ${from + seeds - 1}, in ${seconds.toFixed(1)} s`,
      `${sum(({ states }) => Object.values(states).reduce((a, b) => a + b, 0))} payouts: ${sum(({ states }) => states["paid"] ?? 0)} paid, ${sum(({ states }) => states["failed"] ?? 0)} failed, ${sum(({ states }) => states["refused"] ?? 0)} refused; ${sum(({ decided }) => decided)} decisions of a person, ${sum(({ deaths }) => deaths)} dead processes`,
      `${sum(({ confirmed }) => confirmed)} first payouts confirmed, ${sum(({ suspected }) => suspected)} payouts suspected, ${sum(({ alarms }) => alarms)} alarms, ${sum(({ hasGoneBack }) => Number(hasGoneBack))} databases that went back and forgot ${sum(({ forgotten }) => forgotten)} payouts`,
      `mistakes: ${mistakes.length}`,
      ...mistakes.slice(0, 20)
    ].join("\n")
  )
  if (reports.length !== seeds || mistakes.length > 0) process.exitCode = 1
}

if (isMainThread) await main()
else parentPort?.postMessage(await Effect.runPromise(play(workerData as Share)))
