/**
 * What the commands share that play schedules on all cores: `--seeds N --from S` says which, `--workers N` on how many
 * threads. `--seeds 1 --from SEED --verbose` plays a schedule again and prints its history. `--stop` ends the share of a
 * thread at the first mistake. `--bug NAME` plants a bug. Exits with 1, and prints the seeds, if there are mistakes.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { type Bugs, plant } from "./plant.ts"

interface Told {
  readonly history: ReadonlyArray<string>
}

/** What a command plays. It is loaded after a bug is planted. */
export interface Played<Report> {
  readonly simulate: (seed: number) => Effect.Effect<Report>
  readonly mistakesOf: (report: Report) => ReadonlyArray<string>
  /** The lines that sum up the reports. */
  readonly summarize: (reports: ReadonlyArray<Report>) => ReadonlyArray<string>
}

interface Share {
  readonly bug: string | undefined
  readonly from: number
  readonly seeds: number
  readonly stop: boolean
}

const readShares = (defaultSeeds: number, perThread: number) => {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: String(defaultSeeds) },
      from: { type: "string", default: "1" },
      workers: { type: "string", default: String(availableParallelism()) },
      stop: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      bug: { type: "string" }
    }
  })
  const whole = (name: "seeds" | "from" | "workers", least: number): number => {
    const number = Number(values[name])
    if (Number.isSafeInteger(number) && number >= least) return number
    throw new Error(`--${name} must be a whole number, ${least} at least`)
  }
  const [seeds, from] = [whole("seeds", 1), whole("from", 0)]
  const { bug, stop, verbose } = values
  const parts = Math.min(whole("workers", 1), Math.ceil(seeds / perThread))
  const size = Math.ceil(seeds / parts)
  const shares = Array.from({ length: parts }, (_, at): Share => {
    const first = at * size
    return { bug, from: from + first, seeds: Math.min(size, seeds - first), stop }
  })
  return { shares, seeds, from, verbose }
}

const playOnThread = <Report>(url: string, share: Share): Promise<ReadonlyArray<Report>> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(url), { workerData: share })
    worker.once("message", (reports) => {
      resolve(reports)
      void worker.terminate()
    })
    worker.once("error", (error) => reject(new Error(`the seeds from ${share.from} failed`, { cause: error })))
  })

const play = Effect.fnUntraced(function* <Report extends Told>(
  { mistakesOf, simulate }: Played<Report>,
  { from, seeds, stop }: Share
): Effect.fn.Return<ReadonlyArray<Report>> {
  const reports: Array<Report> = []
  for (let seed = from; seed < from + seeds; seed++) {
    const report = yield* simulate(seed).pipe(
      Effect.provide(TestClock.layer(), { local: true }),
      Effect.catchCause((cause) => Effect.die(new Error(`seed ${seed}: ${Cause.pretty(cause)}`)))
    )
    const isMistaken = mistakesOf(report).length > 0
    // The history of a schedule without a mistake is long, and nobody reads it.
    reports.push(isMistaken || seeds === 1 ? report : { ...report, history: [] })
    if (stop && isMistaken) break
  }
  return reports
})

/** Runs the command of a module, which is also the program of its threads. */
export const seedsCommand = async <Report extends Told>(options: {
  /** The module's `import.meta.url`. */
  readonly url: string
  readonly bugs: Bugs
  readonly defaultSeeds: number
  /** The fewest seeds for which a further thread is worth its start. */
  readonly perThread: number
  readonly load: () => Promise<Played<Report>>
}): Promise<void> => {
  const { bugs, defaultSeeds, load, perThread, url } = options
  if (!isMainThread) {
    const share: Share = workerData
    if (share.bug !== undefined) plant(share.bug, bugs)
    parentPort?.postMessage(await Effect.runPromise(play(await load(), share)))
    return
  }
  const { from, seeds, shares, verbose } = readShares(defaultSeeds, perThread)
  const begun = performance.now()
  const reports = (await Promise.all(shares.map((share) => playOnThread<Report>(url, share)))).flat()
  if (verbose) for (const report of reports) console.log(JSON.stringify(report, undefined, 2))
  const { mistakesOf, summarize } = await load()
  const mistakes = reports.flatMap(mistakesOf)
  const seconds = (performance.now() - begun) / 1_000
  console.log(
    [
      `${reports.length} schedules, seeds ${from} to ${from + seeds - 1}, in ${seconds.toFixed(1)} s (${Math.round(reports.length / seconds)} per second)`,
      ...summarize(reports),
      `mistakes: ${mistakes.length}`,
      ...mistakes.slice(0, 20)
    ].join("\n")
  )
  if (reports.length !== seeds || mistakes.length > 0) process.exitCode = 1
}
