/**
 * What one call costs, in CPU time of the process that makes it, as a multiple of what `undici.request` takes: over TLS
 * with a service that speaks HTTP/2, over TLS with one that speaks HTTP/1.1 only, and over the loopback without TLS.
 *
 * `pnpm bench [--rounds N] [--smoke] [--save]`
 */
import * as Os from "node:os"
import { parseArgs } from "node:util"
import { quantile, ratios, type Spread, spread, undisturbed } from "../support/statistics.ts"
import { replaceIn, table } from "../../../tools/docs/tables.ts"
import { baseline, ours } from "./contenders.ts"
import { type JobName, jobNames } from "./jobs.ts"
import { everybody, type Measured, measure } from "./rounds.ts"
import type { Service } from "./tls.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    smoke: { type: "boolean", default: false },
    save: { type: "boolean", default: false }
  }
})

const inFlight = 32

interface Row {
  readonly name: string
  readonly service: Service
  readonly job: JobName
  /** The median of the ratios to the baseline in the same round. */
  readonly ratio: number
  /** The middle half of the ratios of all rounds. */
  readonly spread: Spread
}

/** What a read may cost, as a multiple of what the baseline takes. */
const bar = 1.2

/** A short run, on a machine that may be busy, only fails if it is worse than allowed by this factor. */
const tolerance = 2

const rowsOf = (service: Service, measured: ReadonlyArray<Measured>): ReadonlyArray<Row> =>
  measured.map(({ cpu, job, name }) => {
    const base = measured.find((other) => other.name === baseline && other.job === job)!
    const all = ratios(cpu, base.cpu)
    return { name, service, job, ratio: quantile(all, 0.5), spread: spread(all) }
  })

const serviceNames: Readonly<Record<Service, string>> = { h2: "TLS, HTTP/2", https: "TLS, HTTP/1.1", http: "loopback" }

/** The jobs of each service: an answer of HTTP/1.1 over TLS is parsed like any other, so reads and writes suffice. */
const jobsOf = (service: Service): ReadonlyArray<JobName> => (service === "http" ? jobNames : ["read", "write"])

const shown = (row: Row | undefined): string =>
  row === undefined ? "–" : `${row.ratio.toFixed(2)} (${row.spread.low.toFixed(2)}–${row.spread.high.toFixed(2)})`

/** A row for each contender, and a column for each job of each service. */
const tableOf = (rows: ReadonlyArray<Row>): string => {
  const columns = [...new Map(rows.map(({ job, service }) => [`${service} ${job}`, { job, service }])).values()]
  const head = ["", ...columns.map(({ job, service }) => `${job}, ${serviceNames[service]}`)]
  const lines = everybody.map((name) => [
    name,
    ...columns.map(({ job, service }) =>
      shown(rows.find((row) => row.name === name && row.job === job && row.service === service))
    )
  ])
  return table(head, lines, 1)
}

/** Says what a read of ours costs. Returns `true` if that exceeds the bar, even if the bar is multiplied by the factor. */
const exceedsBar = (measured: ReadonlyArray<Measured>, factor: number): boolean => {
  const read = (name: string) => undisturbed(measured.find((one) => one.name === name && one.job === "read")!.cpu)
  const ratio = read(ours) / read(baseline)
  console.log(`a read costs ${ratio.toFixed(2)} times what ${baseline} takes; the bar is ${bar}`)
  return ratio > bar * factor
}

if (values.smoke) {
  // Everybody opens every answer once: a contender that cannot ends the run.
  await measure({ names: everybody, jobs: jobNames, rounds: 1, inFlight, share: 0 })
  const measured = await measure({ names: [ours, baseline], jobs: ["read"], rounds: 21, inFlight, share: 0.1 })
  if (exceedsBar(measured, tolerance)) {
    console.error(`✗ that is more than ${tolerance} times the bar`)
    process.exitCode = 1
  }
} else {
  const rounds = Number(values.rounds)
  const rows: Array<Row> = []
  let loopback: ReadonlyArray<Measured> = []
  for (const service of ["h2", "https", "http"] as const) {
    const share = service === "http" ? 0.5 : 0.25
    loopback = await measure({ names: everybody, jobs: jobsOf(service), rounds, inFlight, service, share })
    rows.push(...rowsOf(service, loopback))
  }
  const heading =
    `CPU time per call, as a multiple of ${baseline}'s in the same round, which speaks HTTP/1.1: the median of ` +
    `${rounds} rounds (and their middle half). ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ` +
    `${Os.cpus().length} × ${Os.cpus()[0]?.model ?? "unknown"}, ${inFlight} calls in flight.`
  console.log(`${heading}\n\n${tableOf(rows)}\n`)
  if (exceedsBar(loopback, 1)) process.exitCode = 1
  if (values.save) replaceIn("docs/internals/speed.md", "speed", `${heading}\n\n${tableOf(rows)}`)
}
