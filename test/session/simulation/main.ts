/**
 * `node test/session/simulation/main.ts --seeds N --from S`: runs N seeds. Exits with 1 if an invariant breaks. Prints each
 * failed seed, and shrinks it to the fewest faults that break the same invariant. `--seed S` replays one seed.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import { sessionBugs } from "./bugs.ts"
import type { Job, Report } from "./worker.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    bug: { type: "string" },
    stop: { type: "boolean", default: false }
  }
})

const whole = (name: string, text: string): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`--${name} must be a whole number`)
  process.exit(2)
}
if (values.bug !== undefined && !(values.bug in sessionBugs)) {
  console.error(`--bug must be one of: ${Object.keys(sessionBugs).join(", ")}`)
  process.exit(2)
}

const from = whole("from", values.seed ?? values.from)
const seeds = values.seed === undefined ? whole("seeds", values.seeds) : 1
const workers = Math.max(1, Math.min(whole("workers", values.workers), seeds))

/** The number of seeds in a portion for a worker. */
const portion = values.stop ? 50 : 250
const started = performance.now()
const total = { seeds: 0, refreshes: 0, rotations: 0, pausedHolders: 0, lost: 0 }
const failed: Array<number> = []
const playedBy = new Map<string, number>()
let next = from
let isOver = false

const say = (report: Report) => {
  total.seeds += report.seeds
  total.refreshes += report.counted.refreshes
  total.rotations += report.counted.rotations
  total.pausedHolders += report.counted.pausedHolders
  total.lost += report.counted.lost
  for (const [kind, times] of Object.entries(report.played)) playedBy.set(kind, (playedBy.get(kind) ?? 0) + times)
  for (const line of report.told) console.log(line)
  for (const { faults, seed, trace, violations } of report.failures) {
    failed.push(seed)
    console.log(`seed ${seed}: ${violations.join("; ")}`)
    console.log(`  shrunk to ${faults.length === 0 ? "no fault at all" : faults.join(", ")}`)
    for (const line of trace) console.log(`  ${line}`)
  }
}

const end = () => {
  const seconds = (performance.now() - started) / 1000
  console.log(
    `${total.seeds} seeds from ${from} in ${seconds.toFixed(1)} s (${Math.round(total.seeds / seconds)} a second): ` +
      `${failed.length} broke an invariant; ${total.refreshes} refreshes, ${total.rotations} rotations, ` +
      `${total.pausedHolders} sent by holders whose lease had passed; calls told of a lost session: ${total.lost}, none avoidably`.replace(
        ", none avoidably",
        failed.length === 0 ? ", none avoidably" : ""
      )
  )
  console.log(
    [...playedBy]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([kind, times]) => `${kind}: ${times}`)
      .join(", ")
  )
  // `exit` could lose buffered output.
  process.exitCode = failed.length === 0 ? 0 : 1
}

let running = workers
for (let index = 0; index < workers; index++) {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { bug: values.bug } })
  const give = () => {
    const count = Math.min(portion, from + seeds - next)
    if (count <= 0 || isOver) {
      void worker.terminate()
      if (--running === 0) end()
      return
    }
    const job: Job = { from: next, count, isVerbose: values.seed !== undefined, stops: values.stop }
    next += count
    worker.postMessage(job)
  }
  worker.on("message", (report: Report) => {
    say(report)
    if (values.stop && failed.length > 0) isOver = true
    give()
  })
  worker.on("error", (error) => {
    console.error(error)
    process.exit(1)
  })
  give()
}
