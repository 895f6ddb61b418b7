import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { createInterface } from "node:readline"

const bin = Path.resolve(import.meta.dirname, "../../packages/emulator/bin/custody-emulator.mjs")

/** The command, its lines, and how it ends. */
const start = (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let errors = ""
  child.stderr.on("data", (chunk) => (errors += chunk))
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, errors }))
  return { child, ended, line: async () => String((await lines.next()).value ?? "") }
}

const post = (url: string, body: object) => fetch(url, { method: "POST", body: JSON.stringify(body) })

describe("custody-emulator", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`says where it listens and gives a key, serves, and ends well on ${signal}`, async () => {
      const emulator = start("--token-lifetime", "2 seconds", "--seed", "5")
      const baseUrl = /^custody-emulator listening on (http:\/\/127\.0\.0\.1:\d+\/api\/integration)$/.exec(
        await emulator.line()
      )?.[1]
      const apiKey = /^API key: (ak_\w{40})$/.exec(await emulator.line())?.[1]
      assert.isDefined(baseUrl)
      assert.match(await emulator.line(), /2s/)
      const response = await post(`${baseUrl}/auth/generate-tokens`, { apiKey })
      const { data } = (await response.json()) as { readonly data: { readonly expiresAt: number } }
      assert.strictEqual(response.status, 201)
      assert.closeTo(data.expiresAt, Date.now() + 2_000, 1_000)
      assert.strictEqual(
        await emulator.line(),
        "#1 201 POST /api/integration/auth/generate-tokens (authentication.generateTokens)"
      )
      emulator.child.kill(signal)
      assert.deepStrictEqual(await emulator.ended, { code: 0, signal: null, errors: "" })
    })
  }

  it("ends with a reason when its port is taken", async () => {
    const first = start("--quiet")
    const port = /:(\d+)\//.exec(await first.line())![1]!
    const { code, errors } = await start("--port", port).ended
    assert.strictEqual(code, 1)
    assert.match(errors, /address already in use/)
    first.child.kill("SIGTERM")
    assert.strictEqual((await first.ended).code, 0)
  })

  it("says no more about requests than it is asked to", async () => {
    const emulator = start("--quiet")
    const baseUrl = (await emulator.line()).split(" ").at(-1)
    await emulator.line()
    await emulator.line()
    assert.strictEqual((await fetch(`${baseUrl}/vaults/details`)).status, 401)
    emulator.child.kill("SIGTERM")
    assert.strictEqual(await emulator.line(), "")
    assert.strictEqual((await emulator.ended).code, 0)
  })

  it("refuses options that make no sense, and helps", async () => {
    const { code, errors } = await start("--token-lifetime", "soon").ended
    assert.strictEqual(code, 1)
    assert.include(errors, "--token-lifetime")
    const help = start("--help")
    assert.include(await help.line(), "DESCRIPTION")
    assert.strictEqual((await help.ended).code, 0)
  })
})
