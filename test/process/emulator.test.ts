import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"

const bin = Path.resolve(import.meta.dirname, "../../packages/emulator/bin/custody-emulator.mjs")

/** The command, its lines, and how it ends. */
const start = (first: string | Readonly<Record<string, string>>, ...rest: ReadonlyArray<string>) => {
  const [env, args] = typeof first === "string" ? [{}, [first, ...rest]] : [first, rest]
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
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
      const before = Date.now()
      const response = await post(`${baseUrl}/auth/generate-tokens`, { apiKey })
      const after = Date.now()
      const { data } = (await response.json()) as { readonly data: { readonly expiresAt: number } }
      assert.strictEqual(response.status, 201)
      assert.isAtLeast(data.expiresAt, before + 2_000)
      assert.isAtMost(data.expiresAt, after + 2_000)
      assert.match(
        await emulator.line(),
        /^\d\d:\d\d:\d\d\.\d{3} {2}201 {2}POST {4}\/auth\/generate-tokens {2}authentication\.generateTokens {2}\d+(?:\.\d)? ms$/
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

  it("colours its lines where it is asked to, and tells the generation and the fault", async () => {
    const emulator = start({ FORCE_COLOR: "1" }, "--token-lifetime", "1 hour", "--latency", "1 millis")
    const baseUrl = (await emulator.line()).split(" ").at(-1)!
    const apiKey = (await emulator.line()).split(" ").at(-1)!
    await emulator.line()
    const { data } = (await (await post(`${baseUrl}/auth/generate-tokens`, { apiKey })).json()) as {
      readonly data: { readonly accessToken: string }
    }
    assert.include(await emulator.line(), "\u001B[32m201\u001B[39m")
    const fault = {
      name: "throttled",
      reach: "Received",
      ending: { _tag: "Replacement", status: 429, headers: {}, body: "" }
    }
    await post(new URL("/emulator/faults", baseUrl).href, { operation: "*", fault })
    const details = () => fetch(`${baseUrl}/vaults/details`, { headers: { "x-access-token": data.accessToken } })
    await details()
    const throttled = await emulator.line()
    assert.include(throttled, "\u001B[33m429\u001B[39m")
    assert.include(throttled, "s1 g0")
    assert.include(throttled, "fault: throttled")
    emulator.child.kill("SIGTERM")
    await emulator.ended
  })

  it("goes on from a snapshot that it wrote when it was stopped", async () => {
    const directory = mkdtempSync(Path.join(tmpdir(), "custody-emulator-"))
    const file = Path.join(directory, "snapshot.json")
    const first = start("--snapshot", file, "--faults", "expiring", "--token-lifetime", "1 hour")
    const baseUrl = (await first.line()).split(" ").at(-1)!
    const apiKey = (await first.line()).split(" ").at(-1)!
    assert.match(await first.line(), /1h/)
    const { data } = (await (await post(`${baseUrl}/auth/generate-tokens`, { apiKey })).json()) as {
      readonly data: { readonly refreshToken: string }
    }
    first.child.kill("SIGTERM")
    assert.strictEqual((await first.ended).code, 0)
    const second = start("--snapshot", file)
    const again = (await second.line()).split(" ").at(-1)!
    assert.notStrictEqual((await second.line()).split(" ").at(-1), apiKey)
    assert.strictEqual((await post(`${again}/auth/refresh-token`, { refreshToken: data.refreshToken })).status, 201)
    second.child.kill("SIGTERM")
    await second.ended
    writeFileSync(file, "spoilt")
    const { code, errors } = await start("--snapshot", file).ended
    assert.strictEqual(code, 1)
    assert.include(errors, file)
    assert.strictEqual(readFileSync(file, "utf8"), "spoilt")
    rmSync(directory, { recursive: true })
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
