/** Walks the small worlds. Exits with 1 if an invariant can break. The README lists the options. */
import { readOptions, walkScenes } from "../../support/simulation/explore.ts"
import { plant } from "../../support/simulation/plant.ts"
import { sessionBugs } from "../simulation/bugs.ts"
import { modelBugs } from "./modelBugs.ts"

Error.stackTraceLimit = 0
const { number, text } = readOptions({
  processes: "2",
  faults: "1",
  depth: "60",
  states: "1500000",
  bug: undefined,
  scene: undefined,
  only: undefined
})
const bug = text("bug")
if (bug !== undefined) plant(bug, { ...sessionBugs, ...modelBugs })
// Loaded after the bug is planted, so the modules contain the bug.
const { explore } = await import("./search.ts")
const { scenes } = await import("./scenes.ts")

const [only, chosen] = [text("only"), text("scene")]
const limits = {
  depth: number("depth"),
  states: number("states"),
  only: only === undefined ? undefined : new RegExp(only)
}
walkScenes(
  scenes(number("processes"), number("faults")),
  (scene) => explore(scene, limits),
  (title) => chosen === undefined || chosen === title
)
