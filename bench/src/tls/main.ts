/**
 * What a read and a write cost over TLS, in CPU time and in time of the process that makes them, as a multiple of what
 * `undici.request` takes on kept connections of HTTP/1.1, in the same rounds: once with a service that speaks HTTP/2, and
 * once with a service that speaks only HTTP/1.1, where each of our writes opens a connection, unless the contract names
 * echoes.
 *
 * `pnpm bench tls [--rounds N] [--in-flight N] [--json]`
 */
import { parseArgs } from "node:util"
import { baseline, echoing, ours } from "../calls/contenders.ts"
import { measure } from "../calls/rounds.ts"
import { medianWithin, quantile, ratios } from "../support/statistics.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "31" },
    "in-flight": { type: "string", default: "32" },
    json: { type: "boolean", default: false }
  }
})

const rows = []
for (const [service, protocol] of [
  ["h2", "HTTP/2"],
  ["https", "HTTP/1.1"]
] as const) {
  const names = service === "https" ? [ours, echoing, baseline] : [ours, baseline]
  const measured = await measure({
    names,
    jobs: ["read", "write"],
    rounds: Number(values.rounds),
    inFlight: Number(values["in-flight"]),
    share: 0.3,
    service
  })
  for (const own of measured.filter(({ name }) => name !== baseline)) {
    const { job, name } = own
    if (name === echoing && job === "read") continue
    const base = measured.find((one) => one.name === baseline && one.job === job)!
    const [cpu, wall] = [ratios(own.cpu, base.cpu), ratios(own.wall, base.wall)]
    const { high, low } = medianWithin(cpu)
    rows.push({
      service: protocol,
      job: name === echoing ? `${job}, echoes` : job,
      "CPU ×": Number(quantile(cpu, 0.5).toFixed(2)),
      "99 % within": `${low.toFixed(2)}–${high.toFixed(2)}`,
      "time ×": Number(quantile(wall, 0.5).toFixed(2)),
      "µs of CPU": Math.round(quantile(own.cpu, 0.5)),
      "undici.request, µs": Math.round(quantile(base.cpu, 0.5))
    })
  }
}
if (values.json) console.log(JSON.stringify(rows, undefined, 2))
else console.table(rows)
