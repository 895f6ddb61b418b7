/** A process is frozen while the answer to its refresh arrives. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { apiKey, details, refreshed, refusal, serverWithSession } from "../support/clients/wireClient.ts"
import { header } from "../support/servers/wireServer.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import { freeze, startContainer } from "../simulation/frozen/containerProcess.ts"
import type { Said } from "../support/worlds/sessionWorker.ts"

/** The time limit of a refresh in milliseconds. The process is frozen for longer. */
const requestTimeout = 1_000

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe.skipIf(process.platform !== "linux")("a frozen process", () => {
  it.live.each([
    { answered: "meanwhile", name: "with the answer in its socket" },
    { answered: "afterwards", name: "before the service has answered" }
  ])(
    "a process that is frozen past its time limit $name keeps the session, and sends nothing twice",
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
                await freeze(pid)
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

  it.live(
    "a process that settles before it is frozen has stored its refresh, although its call had given up",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        let refreshes = 0
        const server = yield* serverWithSession((request) => {
          if (request.target.endsWith("/auth/refresh-token")) {
            refreshes++
            return (response) => void sleep(2_000).then(() => refreshed(1)(response))
          }
          return header(request, "x-access-token")[0] === "access-1" ? details : refusal(498, "E01403", "expired")
        })
        const start = {
          baseUrl: server.baseUrl,
          store: { _tag: "sqlite", path: Path.join(directory, "session.db") },
          key: Buffer.alloc(32, 1).toString("base64"),
          proactive: false,
          settles: true,
          deadline: 1_000
        } as const
        const one = yield* startContainer(start)
        const tag = yield* one.invoke(apiKey)
        assert.include(["RefreshUnavailable", "TransportError"], tag)
        const other = yield* startContainer(start)
        assert.strictEqual(yield* other.invoke(""), "ok")
        assert.strictEqual(refreshes, 1)
      }),
    120_000
  )
})
