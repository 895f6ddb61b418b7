/**
 * `pnpm simulate money --seeds N --from S`: plays many schedules against the emulator's ledger on all cores. Exits with 1
 * and prints the seed if an account has a mistake. `--seeds 1 --from SEED --verbose` plays a schedule again and prints its
 * history. `--stop` ends the share of a core at the first mistake. `--bug NAME` plants a bug of `bugs.ts`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { plant } from "../plant.ts"
import { moneyBugs } from "./bugs.ts"
import type { Report } from "./simulation.ts"

if (!isMainThread && workerData.bug !== undefined) plant(workerData.bug, moneyBugs)
// Loaded after the bug is planted, so the modules contain the bug.
const { simulate } = await import("./simulation.ts")
const { listMistakes, totals } = await import("./totals.ts")

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
      reports.push(report)
      if (stop && listMistakes(report).length > 0) break
    }
    return reports
  })

const playOnThread = (share: Share): Promise<ReadonlyArray<Report>> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once("message", resolve)
    worker.once("error", (error) => reject(new Error(`the seeds from ${share.from} failed`, { cause: error })))
  })

const divide = (
  from: number,
  seeds: number,
  workers: number,
  rest: Omit<Share, "from" | "seeds">
): ReadonlyArray<Share> => {
  const parts = Math.min(workers, Math.ceil(seeds / 100))
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
      seeds: { type: "string", default: "10000" },
      from: { type: "string", default: "1" },
      workers: { type: "string", default: String(availableParallelism()) },
      stop: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      bug: { type: "string" }
    }
  })
  const seeds = Number(values.seeds)
  const from = Number(values.from)
  const workers = Number(values.workers)
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from) || from < 0) {
    throw new Error("--seeds must be a positive integer, --from an integer of 0 or more")
  }
  if (!Number.isSafeInteger(workers) || workers < 1) throw new Error("--workers must be a positive integer")
  const begun = performance.now()
  const { bug, stop, verbose } = values
  const reports = (await Promise.all(divide(from, seeds, workers, { bug, stop }).map(playOnThread))).flat()
  if (verbose) for (const report of reports) console.log(JSON.stringify(report, undefined, 2))
  const total = totals(reports)
  const seconds = (performance.now() - begun) / 1_000
  console.log(
    [
      `${total.schedules} schedules, seeds ${from} to ${from + seeds - 1}, in ${seconds.toFixed(1)} s (${Math.round(total.schedules / seconds)} per second)`,
      `${total.writes} logical writes (${total.done.size} operations done, ${total.doubted.size} left uncertain)`,
      `told done ${total.withResult("done")}, outcome unknown ${total.withResult("unknown")}, not done ${total.withResult("notDone")}, gone ${total.withResult("nothing")}`,
      `left uncertain: ${total.uncertain}; told so: ${total.uncertainReported}`,
      `reconciled: found ${total.reconciled("Found")}, not found ${total.reconciled("NotFoundSoFar")}, several candidates ${total.reconciled("SeveralCandidates")}`,
      `mistakes: ${total.mistakes.length}`,
      ...total.mistakes.slice(0, 20)
    ].join("\n")
  )
  if (total.schedules !== seeds || total.mistakes.length > 0 || total.uncertainReported !== total.uncertain)
    process.exitCode = 1
}

if (isMainThread) await main()
else parentPort?.postMessage(await Effect.runPromise(play(workerData as Share)))
