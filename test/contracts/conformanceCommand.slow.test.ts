/** Runs `custody conformance` as a process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import * as Proxy from "../support/servers/conformanceProxy.ts"
import * as Program from "../support/childProgram.ts"

const conformance = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Program.run([Program.custody, "conformance", ...args], env)

/** A program that runs another one, and does nothing for six seconds, in which it reads nothing of what that prints. */
const slowReader = `
const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: ["ignore", "pipe", "ignore"] })
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000)
child.stdout.pipe(process.stdout)
child.on("close", (code) => (process.exitCode = code))`

describe("custody conformance", () => {
  it.live("conformance exits with 1 for a deviation, prints it as JSON, and spends the key without showing it", () =>
    Effect.gen(function* () {
      const { apiKey, baseUrl } = yield* Program.startEmulator()
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.start(baseUrl, Proxy.okForCreated())),
        ({ close }) => Effect.sync(close)
      )
      const args = ["--base-url", proxy.baseUrl, "--json"]
      const { code, errors, output } = yield* conformance(args, { CUSTODY_API_KEY: apiKey })
      assert.strictEqual(code, 1)
      assert.include(errors, "2 statements deviate")
      const findings: ReadonlyArray<{ readonly id: string; readonly verdict: string }> = JSON.parse(output).findings
      assert.deepStrictEqual(
        findings.filter(({ verdict }) => verdict === "deviates").map(({ id }) => id),
        ["generate.created", "refresh.created"]
      )
      const second = yield* conformance(["--base-url", baseUrl], { CUSTODY_API_KEY: apiKey })
      assert.strictEqual(second.code, 1)
      assert.include(second.errors, "the API key started no session: HTTP 400 E00401")
      assert.notInclude(output + errors + second.output + second.errors, apiKey)
    })
  )

  it.live.each<readonly [string, ReadonlyArray<string>, Readonly<Record<string, string>>]>([
    ["CUSTODY_API_KEY", ["--base-url", "http://127.0.0.1:9/api/integration"], {}],
    ["http would send tokens in clear", ["--base-url", "http://custody.example/api"], { CUSTODY_API_KEY: "canary" }],
    ["base-url", [], { CUSTODY_BASE_URL: "http://127.0.0.1:9/api/integration", CUSTODY_API_KEY: "canary" }]
  ])("conformance exits with 1 and the reason: %s", ([reason, args, env]) =>
    Effect.gen(function* () {
      const { code, errors, output } = yield* conformance(args, env)
      assert.deepStrictEqual([code, output], [1, ""])
      assert.include(errors, reason)
      assert.notInclude(errors, "canary")
    })
  )

  it.live("a reader that is slower than the command gets all that it prints", () =>
    Effect.gen(function* () {
      const { apiKey, baseUrl } = yield* Program.startEmulator()
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.start(baseUrl, Proxy.okForCreated())),
        ({ close }) => Effect.sync(close)
      )
      const args = [Program.custody, "conformance", "--base-url", proxy.baseUrl, "--json"]
      const env = { ...Program.inherited, CUSTODY_API_KEY: apiKey }
      const reader = spawn(process.execPath, ["-e", slowReader, ...args], { env, stdio: ["ignore", "pipe", "ignore"] })
      const [output, [code]] = yield* Effect.promise(() => Promise.all([text(reader.stdout), once(reader, "close")]))
      assert.strictEqual(code, 1)
      assert.isAbove(JSON.parse(output).findings.length, 20)
    })
  )
})
