/**
 * A process of its own that reads with the sessions it is told to, and says how far it is with each of them: it is to be
 * killed and frozen by whoever listens.
 */
import { enableCompileCache } from "node:module"
import type { Start } from "./protocol.ts"

// Before anything else is loaded: a process that is killed every other second should not spend its life on starting.
enableCompileCache()
const start: Start = JSON.parse(process.argv[2]!)
if (start.bug !== undefined) (await import("../bugs.ts")).plant(start.bug)
const { work } = await import("./workerProgram.ts")
await work(start, process.argv[3]!)
