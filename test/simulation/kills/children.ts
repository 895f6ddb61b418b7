/** Processes that do not outlive this one, not even frozen. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"

const living = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL")
})

/** A program of this repository, under the same Node. */
export const startChild = (args: ReadonlyArray<string>, stdio: SpawnOptions["stdio"]): ChildProcess => {
  const child = spawn(process.execPath, args, { stdio })
  living.add(child)
  child.once("exit", () => living.delete(child))
  return child
}
