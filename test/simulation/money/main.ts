/**
 * `pnpm simulate money --seeds N --from S`: many schedules against the emulator's ledger, on all cores. Exits with 1 if
 * one account is wrong, and says of which seed: `--seeds 1 --from SEED --verbose` plays it again and prints its
 * history. `--stop` ends a core's share at the first wrong account; `--bug NAME` plants a bug of `../bugs.ts`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { bugs, plant } from "../bugs.ts"
import type { Report } from "./simulation.ts"

if (!isMainThread && workerData.bug !== undefined) plant(workerData.bug)
// After the bug is planted: what is loaded now has it.
const { simulate } = await import("./simulation.ts")
const { complaintsOf, sumOf } = await import("./totals.ts")

/** A part of the seeds. */
interface Share {
  readonly bug: string | undefined
  readonly from: number
  readonly seeds: number
  /** Whether to end at the first account that is wrong. */
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
      if (stop && complaintsOf(report).length > 0) break
    }
    return reports
  })

const elsewhere = (share: Share): Promise<ReadonlyArray<Report>> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once("message", resolve)
    worker.once("error", (error) => reject(new Error(`the seeds from ${share.from} came to grief`, { cause: error })))
  })

const shares = (from: number, seeds: number, rest: Omit<Share, "from" | "seeds">): ReadonlyArray<Share> => {
  const parts = Math.min(availableParallelism(), Math.ceil(seeds / 100))
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
  if (values.bug !== undefined && !(values.bug in bugs)) throw new Error(`there is no bug named ${values.bug}`)
  const begun = performance.now()
  const { bug, stop, verbose } = values
  const reports = (await Promise.all(shares(from, seeds, { bug, stop }).map(elsewhere))).flat()
  if (verbose) for (const report of reports) console.log(JSON.stringify(report, undefined, 2))
  const sum = sumOf(reports)
  const seconds = (performance.now() - begun) / 1_000
  console.log(
    [
      `${sum.schedules} schedules, seeds ${from} to ${from + seeds - 1}, in ${seconds.toFixed(1)} s (${Math.round(sum.schedules / seconds)} per second)`,
      `${sum.writes} logical writes (${sum.done.size} operations done, ${sum.doubted.size} left uncertain)`,
      `told done ${sum.told("done")}, outcome unknown ${sum.told("unknown")}, not done ${sum.told("notDone")}, gone ${sum.told("nothing")}`,
      `left uncertain: ${sum.uncertain}; told so: ${sum.uncertainTold}`,
      `reconciled: found ${sum.reconciled("Found")}, not found ${sum.reconciled("NotFoundSoFar")}, several candidates ${sum.reconciled("SeveralCandidates")}`,
      `wrong: ${sum.wrong.length}`,
      ...sum.wrong.slice(0, 20)
    ].join("\n")
  )
  if (sum.schedules !== seeds || sum.wrong.length > 0 || sum.uncertainTold !== sum.uncertain) process.exitCode = 1
}

if (isMainThread) await main()
else parentPort?.postMessage(await Effect.runPromise(play(workerData as Share)))
