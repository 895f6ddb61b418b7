/** Runs the command of a simulation, in its folder of `test`, as a process. Returns its exit code and its output. */
import { execFile } from "node:child_process"
import * as Path from "node:path"

export const command =
  (
    folder: "session/simulation" | "session/explorer" | "money/simulation" | "payouts/simulation" | "payouts/explorer"
  ) =>
  (...args: ReadonlyArray<string>): Promise<{ readonly code: number; readonly output: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [Path.join(import.meta.dirname, "../..", folder, "main.ts"), ...args],
        { maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
      )
    })
