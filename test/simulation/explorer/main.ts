/** Walks the small worlds. Exits with 1 if an invariant can break. The README lists the options. */
import { parseArgs } from "node:util"
import { type Bugs, plant, sessionBugs } from "../bugs.ts"
import { modelBugs } from "./modelBugs.ts"

Error.stackTraceLimit = 0
const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "2" },
    faults: { type: "string", default: "1" },
    depth: { type: "string", default: "60" },
    states: { type: "string", default: "1500000" },
    bug: { type: "string" },
    scene: { type: "string" },
    only: { type: "string" }
  }
})
const number = (name: "processes" | "faults" | "depth" | "states"): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number`)
  process.exit(2)
}
const planted: Bugs = { ...sessionBugs, ...modelBugs }
const name = values.bug
if (name !== undefined && planted[name] === undefined) {
  console.error(`--bug must be one of: ${Object.keys(planted).join(", ")}`)
  process.exit(2)
}
if (name !== undefined) plant(name, planted[name])
// Loaded after the bug is planted, so the modules contain the bug.
const { explore } = await import("./search.ts")
const { scenes } = await import("./scenes.ts")

for (const [title, scene] of Object.entries(scenes(number("processes"), number("faults")))) {
  if (values.scene !== undefined && values.scene !== title) continue
  const started = performance.now()
  const { broken, depth, isWhole, list, states } = explore(scene, {
    depth: number("depth"),
    states: number("states"),
    only: values.only === undefined ? undefined : new RegExp(values.only)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const how = broken ?? (isWhole ? "no invariant can be broken" : "nothing broken so far")
  console.log(`${title}: ${how} (${states} states, depth ${depth}, ${seconds} s)`)
  for (const [index, line] of list.entries()) console.log(`  ${index + 1}. ${line}`)
  if (broken !== undefined) {
    process.exitCode = 1
    break
  }
}
