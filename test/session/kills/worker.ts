/** A worker process: it reads with sessions on instruction, and reports its progress until the parent kills it. */
import { enableCompileCache } from "node:module"
import type { Start } from "./protocol.ts"

// Must come before anything else is loaded: a worker lives for a few seconds, and should start fast.
enableCompileCache()
const start: Start = JSON.parse(process.argv[2]!)
if (start.bug !== undefined) {
  const [{ plant }, { sessionBugs }] = await Promise.all([
    import("../../support/simulation/plant.ts"),
    import("../simulation/bugs.ts")
  ])
  plant(start.bug, sessionBugs)
}
const { work } = await import("./workerProgram.ts")
await work(start, process.argv[3]!)
