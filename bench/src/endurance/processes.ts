/** The CPU time and memory of the processes that this process has started, from Linux's `/proc`. */
import * as Fs from "node:fs"

interface Process {
  readonly pid: number
  readonly name: string
  readonly parent: number
  /** The CPU time so far, in hundredths of a second. */
  readonly ticks: number
}

const read = (pid: number): ReadonlyArray<Process> => {
  try {
    const text = Fs.readFileSync(`/proc/${pid}/stat`, "utf8")
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"))
    const [, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ")
    // Fields 14 and 15 of proc(5): user and system time.
    return [{ pid, name, parent: Number(parent), ticks: Number(rest[9]) + Number(rest[10]) }]
  } catch {
    // The process has ended in between.
    return []
  }
}

/** The processes that this process has started, directly or through another. */
const descendants = (): ReadonlyArray<Process> => {
  const all = Fs.readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? read(Number(name)) : []))
  const found = new Set([process.pid])
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const { parent, pid } of all) if (found.has(parent)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== process.pid)
}

/** The memory in use, in MB. */
export const memoryOf = (pid: number): number => {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000)
  } catch {
    return 0
  }
}

/** Adds up CPU time in microseconds. Call `sample` so often that few processes end between two calls. */
export const meter = () => {
  const last = new Map<number, number>()
  const used = { workers: 0, database: 0 }
  return {
    used: () => ({ ...used }),
    sample: (workers: ReadonlyArray<number>): void => {
      for (const { name, pid, ticks } of descendants()) {
        const spent = (ticks - (last.get(pid) ?? 0)) * 10_000
        last.set(pid, ticks)
        if (workers.includes(pid)) used.workers += spent
        else if (name === "postgres") used.database += spent
      }
    }
  }
}
