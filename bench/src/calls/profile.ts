/**
 * Where the time of one call goes: self time of every function, by its package.
 *
 * `node src/calls/profile.ts [--name CONTENDER] [--job NAME] [--calls N] [--top N] [--save FILE]`
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import * as Inspector from "node:inspector/promises"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { contenders, ours } from "./contenders.ts"
import type { JobName } from "./jobs.ts"

const { values } = parseArgs({
  options: {
    name: { type: "string", default: ours },
    job: { type: "string", default: "read" },
    calls: { type: "string", default: "40000" },
    top: { type: "string", default: "40" },
    save: { type: "string" }
  }
})

/** The package that a script belongs to. */
const roomOf = (url: string, name: string): string => {
  if (url === "") return name === "(idle)" ? "idle" : name === "(garbage collector)" ? "garbage collector" : "engine"
  if (url.startsWith("node:")) return "Node"
  const dependency = /node_modules\/(?:\.pnpm\/.*node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(url)
  if (dependency !== null) return dependency[1]!
  const own = /packages\/([^/]+)\//.exec(url)?.[1]
  return own === undefined ? "benchmark" : `@effect-custody/${own}`
}

const server = fork(Path.join(import.meta.dirname, "server.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
const [origin] = (await once(server, "message")) as [string]
const run = await (await contenders[values.name]!())(origin)
const job = values.job as JobName
const calls = Number(values.calls)
await run(job, Math.ceil(calls / 4), 32)

const session = new Inspector.Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.setSamplingInterval", { interval: 200 })
await session.post("Profiler.start")
const before = process.cpuUsage()
await run(job, calls, 32)
const used = process.cpuUsage(before)
const { profile } = await session.post("Profiler.stop")
if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(profile))

const perCall = (used.user + used.system) / calls
const sampled = new Map<number, number>()
for (const id of profile.samples ?? []) sampled.set(id, (sampled.get(id) ?? 0) + 1)
const rooms = new Map<string, number>()
const functions = new Map<string, number>()
let busy = 0
for (const { callFrame, id } of profile.nodes) {
  const samples = sampled.get(id) ?? 0
  const { functionName, lineNumber, url } = callFrame
  const room = roomOf(url, functionName)
  if (room === "idle" || samples === 0) continue
  busy += samples
  rooms.set(room, (rooms.get(room) ?? 0) + samples)
  const place = `${room} · ${functionName || "(anonymous)"} ${url.split("/").at(-1)}:${lineNumber + 1}`
  functions.set(place, (functions.get(place) ?? 0) + samples)
}

/** Total time, including callees: only for our functions, because those of Effect call each other. */
const whole = new Map<string, number>()
const byId = new Map(profile.nodes.map((node) => [node.id, node]))
const visit = (id: number, within: ReadonlySet<string>): number => {
  const { callFrame, children = [] } = byId.get(id)!
  const { functionName, lineNumber, url } = callFrame
  const place = `${functionName || "(anonymous)"} ${url.split("/").at(-1)}:${lineNumber + 1}`
  const isOurs = roomOf(url, functionName).startsWith("@effect-custody/") && !within.has(place)
  const inner = isOurs ? new Set([...within, place]) : within
  const total = children.reduce((sum, child) => sum + visit(child, inner), sampled.get(id) ?? 0)
  if (isOurs) whole.set(place, (whole.get(place) ?? 0) + total)
  return total
}
visit(profile.nodes[0]!.id, new Set())

const print = (title: string, entries: Map<string, number>, most: number) => {
  console.log(`\n| ${title} | share | µs per call |\n| --- | ---: | ---: |`)
  for (const [name, samples] of [...entries].toSorted((a, b) => b[1] - a[1]).slice(0, most)) {
    const share = samples / busy
    console.log(`| ${name} | ${(share * 100).toFixed(1)} % | ${(share * perCall).toFixed(2)} |`)
  }
}
console.log(`${values.name}, ${job}: ${perCall.toFixed(1)} µs of CPU time per call, profiled over ${calls} calls`)
print("where", rooms, 40)
print("function, by itself", functions, Number(values.top))
print("function of ours, with all that it calls", whole, Number(values.top))
server.disconnect()
process.exit()
