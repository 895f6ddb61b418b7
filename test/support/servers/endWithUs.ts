/** Ends the servers of tests after any end of this process. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"

/** Ends a process after any end of this process. Usually the scope ends it first. */
export const endWithUs = (pid: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn("sh", ["-c", `while kill -0 ${process.pid} 2>/dev/null; do sleep 1; done; kill -INT ${pid}`], {
        detached: true,
        stdio: "ignore"
      })
    ),
    (watch) => Effect.sync(() => watch.kill("SIGKILL"))
  )
