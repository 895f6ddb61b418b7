/**
 * `pnpm simulate explore-ledger --faults N --scene NAME --depth N --states N --bug NAME`: walks every interleaving of two
 * payouts and two workers. Exits with 1 and prints a shortest list of steps if a payout can be paid twice, can be called
 * what it is not, or cannot come to its end.
 */
import { readOptions, walkScenes } from "../../support/simulation/explore.ts"
import { plant } from "../../support/simulation/plant.ts"
import { sharedBugs } from "../simulation/bugs.ts"
import { modelBugs } from "./modelBugs.ts"

const { number, text } = readOptions({
  faults: "1",
  depth: "60",
  states: "2000000",
  bug: undefined,
  scene: undefined
})
const bug = text("bug")
if (bug !== undefined) plant(bug, { ...sharedBugs, ...modelBugs })
// Loaded after the bug is planted, so the modules contain the bug.
const { explore, scenes } = await import("./search.ts")

const limits = { depth: number("depth"), states: number("states") }
walkScenes(
  scenes(number("faults")),
  (scene) => explore(scene, limits),
  (title) => title.startsWith(text("scene") ?? "")
)
