/** Starts a container, and thaws it for each invocation. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import type { Start } from "./container.ts"

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Freezes a process, and waits until the system has stopped it. */
export const freeze = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGSTOP")
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await sleep(1)
}

/** Starts a container in the scope. It is frozen except during its invocations. */
export const startContainer = Effect.fnUntraced(function* (start: Start) {
  const args = [Path.join(import.meta.dirname, "container.ts"), JSON.stringify(start)]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const pid = child.pid!
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** Waits for the end of an invocation, or of the start. The container is frozen at once. */
  const ended = Effect.promise(async (): Promise<string> => {
    for (;;) {
      const { done, value } = await lines.next()
      if (done === true) throw new Error("a container has ended")
      if (!value.startsWith("{")) continue
      await freeze(pid)
      return JSON.parse(value).tag
    }
  })
  yield* ended
  return {
    pid,
    /** Thaws the container for one call, and returns its result. `apiKey` starts a session, unless it is empty. */
    invoke: (apiKey: string) =>
      Effect.suspend(() => {
        process.kill(pid, "SIGCONT")
        child.stdin.write(`${apiKey}\n`)
        return ended
      })
  }
})
