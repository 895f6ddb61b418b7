/**
 * `pnpm simulate explore-ledger --faults N --scene NAME --depth N --states N --bug NAME`: walks every interleaving of two
 * payouts and two workers. Exits with 1 and prints a shortest list of steps if a payout can be paid twice, can be called
 * what it is not, or cannot come to its end.
 */
import { parseArgs } from "node:util"
import { type Bugs, ledgerBugs, plant } from "../../bugs.ts"
import { modelBugs } from "./modelBugs.ts"

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "1" },
    depth: { type: "string", default: "60" },
    states: { type: "string", default: "2000000" },
    bug: { type: "string" },
    scene: { type: "string" }
  }
})
const number = (name: "faults" | "depth" | "states"): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number`)
  process.exit(2)
}
const planted: Bugs = { ...ledgerBugs, ...modelBugs }
const name = values.bug
if (name !== undefined && planted[name] === undefined) {
  console.error(`--bug must be one of: ${Object.keys(planted).join(", ")}`)
  process.exit(2)
}
if (name !== undefined) plant(name, planted[name])
// Loaded after the bug is planted, so the modules contain the bug.
const { explore, scenes } = await import("./search.ts")

for (const [title, scene] of Object.entries(scenes(number("faults")))) {
  if (values.scene !== undefined && !title.startsWith(values.scene)) continue
  const started = performance.now()
  const { broken, depth, isWhole, list, states } = explore(scene, { depth: number("depth"), states: number("states") })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const how = broken ?? (isWhole ? "no invariant can be broken" : "nothing broken so far")
  console.log(`${title}: ${how} (${states} states, depth ${depth}, ${seconds} s)`)
  for (const [index, line] of list.entries()) console.log(`  ${index + 1}. ${line}`)
  if (broken !== undefined) {
    process.exitCode = 1
    break
  }
}
