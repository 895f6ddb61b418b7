/** A process is frozen while the answer to its refresh arrives. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { apiKey, details, refreshed, refusal, serverWithSession } from "../support/clients/wireClient.ts"
import { header } from "../support/servers/wireServer.ts"
import type { Said } from "../support/worlds/sessionWorker.ts"

/** The time limit of a refresh in milliseconds. The process is frozen for longer. */
const requestTimeout = 1_000

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Waits until the system has stopped a process. */
const stopped = async (pid: number) => {
  process.kill(pid, "SIGSTOP")
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await sleep(5)
}

describe.skipIf(process.platform !== "linux")("a frozen process", () => {
  it.live.each([
    { answered: "meanwhile", name: "with the answer in its socket" },
    { answered: "afterwards", name: "before the service has answered" }
  ])(
    "50 · a process that is frozen past its time limit $name keeps the session, and sends nothing twice",
    ({ answered }) =>
      Effect.gen(function* () {
        const directory = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(Path.join(tmpdir(), "frozen-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true }))
        )
        let pid = 0
        let refreshes = 0
        const server = yield* serverWithSession((request) => {
          if (request.target.endsWith("/auth/refresh-token")) {
            refreshes++
            return (response) =>
              void (async () => {
                await stopped(pid)
                if (answered === "meanwhile") refreshed(1)(response)
                await sleep(3 * requestTimeout)
                process.kill(pid, "SIGCONT")
                await sleep(200)
                if (answered === "afterwards") refreshed(1)(response)
              })()
          }
          return header(request, "x-access-token")[0] === "access-1" ? details : refusal(498, "E01403", "expired")
        })
        const worker = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(
              process.execPath,
              [
                Path.join(import.meta.dirname, "../support/worlds/sessionWorker.ts"),
                Path.join(directory, "session.db"),
                server.baseUrl,
                apiKey,
                String(requestTimeout)
              ],
              { stdio: ["pipe", "pipe", "inherit"] }
            )
          ),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        pid = worker.pid!
        const result = yield* Effect.promise(async () => {
          for await (const line of createInterface({ input: worker.stdout })) {
            if (!line.startsWith("{")) continue
            const said: Said = JSON.parse(line)
            if (said.what === "ready") worker.stdin.write("read\n")
            if (said.what === "read") return said.tag
          }
          return "the process has ended"
        })
        assert.strictEqual(result, "ok")
        assert.strictEqual(refreshes, 1)
      }),
    120_000
  )
})
