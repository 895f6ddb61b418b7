/** What a process uses. */
import { existsSync, readdirSync, readFileSync } from "node:fs"

export interface Usage {
  readonly megabytes: number
  readonly files: number
}

/** Reads the resident memory and the open files of a process. Returns `undefined` where the system has no `/proc`. */
export const readUsage = (pid: number): Usage | undefined => {
  const place = `/proc/${pid}`
  if (!existsSync(`${place}/fd`)) return undefined
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${place}/status`, "utf8"))?.[1])
  return { megabytes: Math.round(kilobytes / 1024), files: readdirSync(`${place}/fd`).length }
}
