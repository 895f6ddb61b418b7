/**
 * What one call costs, in CPU time of the process that makes it, as a multiple of what `undici.request` takes.
 *
 * `node src/calls/main.ts [--rounds N] [--in-flight N] [--only NAME,…] [--jobs NAME,…] [--smoke] [--json] [--save]`
 */
import { mkdirSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { ratios, spread, undisturbed } from "../support/statistics.ts"
import { replaceIn } from "../support/speedPage.ts"
import { chart, type Row } from "./chart.ts"
import { baseline, ours } from "./contenders.ts"
import { type JobName, jobNames } from "./jobs.ts"
import { everybody, type Measured, measure } from "./rounds.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "31" },
    "in-flight": { type: "string", default: "32" },
    only: { type: "string" },
    jobs: { type: "string" },
    smoke: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    save: { type: "boolean", default: false }
  }
})

/** What a read may cost, as a multiple of what each of these takes. */
const bars = { [baseline]: 1.3, fetch: 0.4 } as const

/** A short run, on a machine that may be busy, only fails if it is worse than allowed by this factor. */
const tolerance = 2

const rowsOf = (measured: ReadonlyArray<Measured>): ReadonlyArray<Row> =>
  measured.map(({ cpu, job, name }) => {
    const base = measured.find((other) => other.name === baseline && other.job === job)!
    const [microseconds, ofBase] = [undisturbed(cpu), undisturbed(base.cpu)]
    return { name, job, microseconds, ratio: microseconds / ofBase, spread: spread(ratios(cpu, base.cpu)) }
  })

const shown = ({ ratio, spread: { high, low } }: Row): string =>
  `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

const table = (rows: ReadonlyArray<Row>, names: ReadonlyArray<string>, jobs: ReadonlyArray<JobName>): string => {
  const cell = (name: string, job: JobName) => rows.find((row) => row.name === name && row.job === job)!
  const head = ["", ...jobs, "read, µs"]
  const lines = names.map((name) => [
    name,
    ...jobs.map((job) => shown(cell(name, job))),
    cell(name, jobs[0]!).microseconds.toFixed(0)
  ])
  return [head, head.map((_, at) => (at === 0 ? "---" : "---:")), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}

/** The bars that a read of ours exceeds, even if each is multiplied by the factor. */
const missed = (measured: ReadonlyArray<Measured>, factor: number): ReadonlyArray<string> => {
  const read = (name: string) => measured.find((one) => one.name === name && one.job === "read")!.cpu
  return Object.entries(bars).flatMap(([name, bar]) => {
    const ratio = undisturbed(read(ours)) / undisturbed(read(name))
    const line = `a read costs ${ratio.toFixed(2)} times what ${name} takes; the bar is ${bar}`
    console.log(line)
    return ratio > bar * factor ? [line] : []
  })
}

if (values.smoke) {
  const measured = await measure({
    names: [ours, baseline, "fetch"],
    jobs: ["read"],
    rounds: 21,
    inFlight: 32,
    share: 0.1
  })
  if (missed(measured, tolerance).length > 0) {
    console.error(`✗ that is more than ${tolerance} times the bar`)
    process.exitCode = 1
  }
} else {
  const chosen = values.only?.split(",") ?? everybody
  const names = chosen.includes(baseline) ? chosen : [...chosen, baseline]
  const jobs = (values.jobs?.split(",") as ReadonlyArray<JobName> | undefined) ?? jobNames
  const inFlight = Number(values["in-flight"])
  const measured = await measure({ names, jobs, rounds: Number(values.rounds), inFlight, share: 0.5 })
  const rows = rowsOf(measured)
  const setting = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${Os.cpus().length} × ${Os.cpus()[0]?.model ?? "unknown"}`,
    inFlight,
    rounds: Number(values.rounds)
  }
  const heading =
    `CPU time per call, as a multiple of ${baseline}'s: the least tenth of ${setting.rounds} rounds (and the middle half ` +
    `of all rounds). ${setting.date}, Node ${setting.node}, ${setting.cpu}, ${inFlight} calls in flight, loopback.`
  if (values.json) console.log(JSON.stringify({ setting, rows }, undefined, 2))
  else {
    console.log(`${heading}\n\n${table(rows, names, jobs)}`)
    if (names.includes(ours) && names.includes("fetch") && jobs.includes("read")) {
      console.log("")
      if (missed(measured, 1).length > 0) process.exitCode = 1
    }
  }
  if (values.save) {
    const folder = Path.resolve(import.meta.dirname, "../../results")
    mkdirSync(folder, { recursive: true })
    writeFileSync(Path.join(folder, "calls.json"), `${JSON.stringify({ setting, rows }, undefined, 2)}\n`)
    writeFileSync(
      Path.join(folder, "calls.svg"),
      chart(
        setting,
        rows.filter(({ job }) => job === "read")
      )
    )
    replaceIn("speed", `${heading} \`pnpm bench --save\` repeats it.\n\n${table(rows, names, jobs)}`)
  }
}
