import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as Path from "node:path"

const bin = Path.resolve(import.meta.dirname, "../../packages/cli/bin/custody.mjs")

const tokens = (response: ServerResponse) => {
  const data = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: Date.now() + 3_600_000, vaultId: 1 }
  response.writeHead(201, { "content-type": "application/json" })
  response.end(JSON.stringify({ message: "ok", data, status: 201 }))
}

/** `custody` with a session of a service that answers as the listener says. */
const withSession = async (
  listener: RequestListener,
  use: (run: (...args: ReadonlyArray<string>) => ReturnType<typeof start>, sessionFile: string) => Promise<void>
) => {
  const directory = mkdtempSync(Path.join(tmpdir(), "custody-interrupted-"))
  const server = createServer((request, response) => {
    if (request.url !== "/api/auth/generate-tokens")
      return void request.resume().on("end", () => listener(request, response))
    tokens(response)
  }).listen(0, "127.0.0.1")
  try {
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const sessionFile = Path.join(directory, "session.db")
    const env = { CUSTODY_BASE_URL: `http://127.0.0.1:${port}/api`, CUSTODY_SESSION_FILE: sessionFile }
    const run = (...args: ReadonlyArray<string>) => start(args, env)
    const started = await start(["session", "start"], { ...env, CUSTODY_API_KEY: "key-0" }).ended
    assert.strictEqual(started.code, 0, started.errors)
    await use(run, sessionFile)
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  let output = ""
  let errors = ""
  const child = execFile(process.execPath, [bin, ...args], { env: { PATH: process.env["PATH"], ...env } })
  child.stdout!.on("data", (chunk) => (output += chunk))
  child.stderr!.on("data", (chunk) => (errors += chunk))
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, output, errors })) }
}

const send = ["call", "transactions.send", "clientId=alice", "assetId=usdc", "to=0x2", "amount=1", "--yes"]

describe("custody call", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`does not end as a success if ${signal} cuts a write short, and says on standard error that it may have taken effect`, () => {
      let received: () => void = () => {}
      const arrived = new Promise<void>((resolve) => (received = resolve))
      return withSession(
        () => received(),
        async (run) => {
          const { child, ended } = run(...send)
          await arrived
          child.kill(signal)
          const { code, errors, output } = await ended
          assert.strictEqual(code, 130)
          assert.strictEqual(output, "")
          assert.include(errors, "may have taken effect")
        }
      )
    })
  }

  it("prints JSON alone to standard output, and warnings to standard error", () =>
    withSession(
      (_, response) => response.writeHead(200).end(JSON.stringify({ message: "ok", data: { id: 1 }, status: 200 })),
      async (run, sessionFile) => {
        chmodSync(sessionFile, 0o644)
        const { code, errors, output } = await run("call", "vaults.details").ended
        assert.strictEqual(code, 0, errors)
        assert.strictEqual(JSON.parse(output).id, "1")
        assert.include(errors, "The session file could be read by others")
      }
    ))
})

describe("custody session start", () => {
  const cases: ReadonlyArray<readonly [string, (response: ServerResponse) => void, string]> = [
    ["the answer then arrives", tokens, "its access token has not expired"],
    ["the answer is then lost", (response) => response.destroy(), "the answer to its API key was lost"]
  ]
  it.each(cases)("says on standard error what is stored, if a signal comes and %s", async (_, answer, stored) => {
    let received: (response: ServerResponse) => void = () => {}
    const arrived = new Promise<ServerResponse>((resolve) => (received = resolve))
    const service = createServer((request, response) => {
      request.resume().on("end", () => received(response))
    }).listen(0, "127.0.0.1")
    const directory = mkdtempSync(Path.join(tmpdir(), "custody-interrupted-"))
    try {
      await once(service, "listening")
      const { port } = service.address() as AddressInfo
      const sessionFile = Path.join(directory, "session.db")
      const env = { CUSTODY_BASE_URL: `http://127.0.0.1:${port}/api`, CUSTODY_SESSION_FILE: sessionFile }
      const { child, ended } = start(["session", "start"], { ...env, CUSTODY_API_KEY: "key-1" })
      const response = await arrived
      child.kill("SIGINT")
      await new Promise((resolve) => setTimeout(resolve, 100))
      answer(response)
      const { code, errors, output } = await ended
      assert.strictEqual(code, 130)
      assert.strictEqual(output, "")
      assert.include(errors, `interrupted. "default" in ${sessionFile}: ${stored}`)
      assert.notInclude(errors, "key-1")
    } finally {
      service.closeAllConnections()
      service.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
