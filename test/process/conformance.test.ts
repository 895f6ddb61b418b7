import type { ContractFile } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { services } from "../support/servers/dialects/contracts.ts"
import type { Dialect } from "../support/servers/dialects/dialect.ts"
import { frontServer } from "../support/servers/dialects/front.ts"
import * as Proxy from "../support/servers/conformanceProxy.ts"

const packages = Path.resolve(import.meta.dirname, "../../packages")

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  new Promise<{ readonly code: number; readonly output: string; readonly errors: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [Path.join(packages, "cli/bin/custody.mjs"), "conformance", ...args],
      { env: { ...process.env, ...env } },
      (_, output, errors) => resolve({ code: child.exitCode ?? -1, output, errors })
    )
  })

/** An emulator in a process of its own, as a server that claims to be the service. */
const withEmulator = async (
  use: (emulator: { readonly baseUrl: string; readonly apiKey: string }) => Promise<void>
) => {
  const child = spawn(process.execPath, [Path.join(packages, "emulator/bin/custody-emulator.mjs"), "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const baseUrl = String((await lines.next()).value)
      .split(" ")
      .at(-1)!
    const apiKey = String((await lines.next()).value)
      .split(" ")
      .at(-1)!
    await use({ baseUrl, apiKey })
  } finally {
    child.kill("SIGTERM")
    await once(child, "close")
  }
}

/** A server of the assumed wire, and a contract in a file. */
const withContract = <A>(
  contract: ContractFile.File,
  use: (file: string) => Effect.Effect<A, never, CustodyEmulator | Scope.Scope>
) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(Path.join(Os.tmpdir(), "custody-conformance-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const file = Path.join(directory, "custody.contract.json")
    writeFileSync(file, JSON.stringify(contract))
    return yield* use(file)
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(CustodyEmulator.layerServer())))

describe("custody conformance", () => {
  it("by itself starts an emulator, and all that can be observed of it holds, expiry included", async () => {
    const { code, errors, output } = await run([])
    assert.strictEqual(errors, "")
    assert.strictEqual(code, 0)
    assert.match(output, /^http:\/\/127\.0\.0\.1:\d+\/api\/integration, compared with the specification\n/)
    assert.include(output, "holds: HTTP 498 E40003")
    assert.match(output, /\n47 statements: 46 hold, 0 deviate, 1 not observable here\n$/)
  })

  it("ends with 1 where a statement deviates, tells it as JSON, and never tells the key", () =>
    withEmulator(async ({ apiKey, baseUrl }) => {
      const proxy = await Proxy.start(baseUrl, Proxy.okForCreated())
      try {
        const { code, errors, output } = await run(["--base-url", proxy.baseUrl, "--json"], { CUSTODY_API_KEY: apiKey })
        assert.strictEqual(code, 1)
        assert.include(errors, "2 statements deviate")
        const report = JSON.parse(output)
        assert.strictEqual(report.baseUrl, proxy.baseUrl)
        assert.deepStrictEqual(
          report.findings.filter((one: any) => one.verdict === "deviates").map((one: any) => one.id),
          ["generate.created", "refresh.created"]
        )
        assert.notInclude(output + errors, apiKey)
      } finally {
        proxy.close()
      }
    }))

  it("takes a key as a flag; a second time it is spent, which ends with 1 and what to make of it", () =>
    withEmulator(async ({ apiKey, baseUrl }) => {
      const args = ["--base-url", baseUrl, "--api-key", apiKey]
      const first = await run(args)
      assert.deepStrictEqual([first.code, first.errors], [0, ""])
      const second = await run(args)
      assert.strictEqual(second.code, 1)
      assert.include(second.errors, "the API key started no session: HTTP 400 E00401")
      assert.notInclude(first.output + second.output + second.errors, apiKey)
    }))

  it("ends with 1 and a reason where something is missing, or an address is none for a secret", async () => {
    const withoutKey = { CUSTODY_API_KEY: "" }
    const [noAddress, noKey, inClear] = await Promise.all([
      run(["--api-key", "canary"]),
      run(["--base-url", "http://127.0.0.1:9/api/integration"], withoutKey),
      run(["--base-url", "http://custody.example/api/integration", "--api-key", "canary"])
    ])
    assert.deepStrictEqual([noAddress.code, noKey.code, inClear.code], [1, 1, 1])
    assert.include(noAddress.errors, "--api-key needs --base-url")
    assert.include(noKey.errors, "CUSTODY_API_KEY")
    assert.include(inClear.errors, "http would send tokens in clear")
    for (const { errors, output } of [noAddress, noKey, inClear]) {
      assert.strictEqual(output, "")
      assert.notInclude(errors, "canary")
    }
  })

  it("does not take an emulator for the service that the environment names", async () => {
    for (const name of ["CUSTODY_BASE_URL", "CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"]) {
      const { code, errors, output } = await run([], { [name]: "http://127.0.0.1:9/api/integration" })
      assert.deepStrictEqual([code, output], [1, ""])
      assert.include(errors, "the environment names a service, but only --base-url chooses what is checked")
    }
    const { code } = await run([], { CUSTODY_BASE_URL: "" })
    assert.strictEqual(code, 0)
  })

  it("checks what --base-url says, whatever the environment names", () =>
    withEmulator(async ({ apiKey, baseUrl }) => {
      const env = { CUSTODY_API_KEY: apiKey, CUSTODY_BASE_URL: "http://127.0.0.1:9/api/integration" }
      const { code, output } = await run(["--base-url", baseUrl], env)
      assert.strictEqual(code, 0)
      assert.include(output, `${baseUrl}, compared with the specification`)
    }))

  it.live.each(services)("--contract reads a service by its contract: $dialect.name", ({ contract, dialect }) =>
    withContract(contract, (file) =>
      Effect.gen(function* () {
        const { baseUrl, issueApiKey } = yield* CustodyEmulator
        const front = yield* frontServer(dialect, baseUrl)
        const env = { CUSTODY_API_KEY: Redacted.value(yield* issueApiKey()) }
        const { code, errors, output } = yield* Effect.promise(() =>
          run(["--base-url", front, "--contract", file], env)
        )
        assert.deepStrictEqual([code, errors], [0, ""])
        assert.include(output, " 0 deviate, ")
      })
    )
  )

  it.live("--contract finds a service that breaks its contract, and starts an emulator that keeps it", () => {
    const { contract, dialect } = services[0]!
    return withContract(contract, (file) =>
      Effect.gen(function* () {
        const { baseUrl, issueApiKey } = yield* CustodyEmulator
        const broken: Dialect = {
          ...dialect,
          toTheirs: (asked, answer) => {
            const theirs = dialect.toTheirs(asked, answer)
            return { ...theirs, body: JSON.parse(JSON.stringify(theirs.body).replaceAll("vault_id", "vaultId")) }
          }
        }
        const env = { CUSTODY_API_KEY: Redacted.value(yield* issueApiKey()) }
        const front = yield* frontServer(broken, baseUrl)
        const found = yield* Effect.promise(() => run(["--base-url", front, "--contract", file], env))
        assert.strictEqual(found.code, 1)
        assert.match(found.output, /✗ vaultId is an integer/)
        const itself = yield* Effect.promise(() => run(["--contract", file]))
        assert.deepStrictEqual([itself.code, itself.errors], [0, ""])
      })
    )
  })
})
