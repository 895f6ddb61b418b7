/** The quickstart on each runtime, and a worker in workerd, all against the installed emulator. */
import { randomInt } from "node:crypto"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { inTool, loadTool, must, programOf, run, started } from "./run.ts"

/** The installed packages in one runtime, and what is tried there. */
export interface Attempt {
  readonly runtime: string
  readonly what: string
  readonly run: (folder: string) => Promise<unknown>
}

export const runtimes = [
  { runtime: "Node 24", command: process.execPath, args: [] },
  { runtime: "Node 22", command: inTool("node-22", "bin/node"), args: [] },
  { runtime: "Deno", command: programOf("deno"), args: ["run", "--allow-all", "--node-modules-dir=manual"] }
]

/** Commands of the installed packages, then the Node that runs this script. */
const pathOf = (folder: string) =>
  [Path.join(folder, "node_modules/.bin"), Path.dirname(process.execPath), process.env["PATH"]].join(Path.delimiter)

/** `examples/quickstart`: an expiry under load, a process killed in the middle, one that goes on. */
const quickstartOn = ({ args, command, runtime }: (typeof runtimes)[number]): Attempt => ({
  runtime,
  what: "`NodeCustody`: undici, session in SQLite",
  run: (folder) =>
    must(
      run(command, [...args, "quickstart/main.ts"], {
        cwd: folder,
        env: { PATH: pathOf(folder), DENO_TLS_CA_STORE: "system" },
        timeoutSeconds: 180
      })
    )
})

/** Below the ephemeral range, whose ports the system gives to any connection. */
const randomPort = () => randomInt(10_000, 30_000)

const config = (bundle: string, port: number, baseUrl: string, apiKey: string) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public", "local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "${bundle}")],
  bindings = [(name = "BASE_URL", text = "${baseUrl}"), (name = "API_KEY", text = "${apiKey}")],
  compatibilityDate = "2026-01-01"
);
`

/** Runs a program against the installed emulator, which ends with it. */
const withEmulator = async (folder: string, use: (baseUrl: string, apiKey: string) => Promise<void>) => {
  const emulator = started(
    Path.join(folder, "node_modules/.bin/custody-emulator"),
    ["--port", "0", "--quiet"],
    { cwd: folder, env: { PATH: pathOf(folder) } },
    /(?<baseUrl>http:\/\/\S+)[^]*API key: (?<apiKey>\S+)/
  )
  try {
    const { apiKey = "", baseUrl = "" } = await emulator.found
    await use(baseUrl, apiKey)
  } finally {
    emulator.stop()
  }
}

const mustNameVault = (said: string) => {
  if (!said.startsWith("the vault is ")) throw new Error(said)
}

/**
 * On Bun: `fetch`, and a session that its next process goes on with. Bun has a stand-in of its own for undici, which
 * cannot tell when a request is sent, so `NodeCustody` refuses to start there.
 */
const bun: Attempt = {
  runtime: "Bun",
  what: "`Custody.layer`: fetch, session in SQLite",
  run: (folder) =>
    withEmulator(folder, async (baseUrl, apiKey) => {
      const env = { CUSTODY_BASE_URL: baseUrl, CUSTODY_SESSION_FILE: Path.join(folder, "bun.db") }
      const bunOf = (args: ReadonlyArray<string>, key = {}) =>
        run(programOf("bun"), args, { cwd: folder, env: { ...env, ...key } })
      mustNameVault((await must(bunOf(["fetch.ts"], { CUSTODY_API_KEY: apiKey }))).stdout)
      mustNameVault((await must(bunOf(["fetch.ts"]))).stdout)
      const refused = await bunOf(["quickstart/worker.ts", "read"])
      if (refused.ok || !refused.output.includes("FetchHttpClient.layer")) throw new Error(refused.output)
    })
}

/** Bundles the consumer's worker as a user would, and asks it for the vault. */
const worker: Attempt = {
  runtime: "workerd",
  what: "`Custody.layer`: fetch, session in memory",
  run: (folder) =>
    withEmulator(folder, async (baseUrl, apiKey) => {
      const esbuild = await loadTool("esbuild")
      await esbuild.build({
        entryPoints: [Path.join(folder, "worker.ts")],
        outfile: Path.join(folder, "worker.js"),
        bundle: true,
        format: "esm",
        conditions: ["workerd"],
        logLevel: "silent"
      })
      const port = randomPort()
      writeFileSync(Path.join(folder, "workerd.capnp"), config("worker.js", port, baseUrl, apiKey))
      const args = ["serve", "workerd.capnp", "--control-fd=1"]
      const service = started(programOf("workerd"), args, { cwd: folder }, /"event":"listen"/)
      try {
        await service.found
        mustNameVault(await (await fetch(`http://127.0.0.1:${port}/`)).text())
      } finally {
        service.stop()
      }
    })
}

export const attempts: ReadonlyArray<Attempt> = [...runtimes.map(quickstartOn), bun, worker]

/** What a ledger's worker says on each runtime: it pays where it can tell when a request is sent, and refuses elsewhere. */
export const workers: ReadonlyArray<Attempt & { readonly pays: boolean }> = [
  ...runtimes.map((one) => ({ ...one, more: [], said: "the payout is paid", pays: true })),
  {
    runtime: "Bun",
    command: programOf("bun"),
    args: [],
    more: ["fetch"],
    said: "run the worker on Node",
    pays: false
  }
].map(({ args, command, more, pays, runtime, said }) => ({
  runtime,
  what: pays ? "the ledger pays" : "the ledger refuses to pay",
  pays,
  run: (folder) =>
    withEmulator(folder, async (baseUrl, apiKey) => {
      await fetch(new URL("/emulator/fund", baseUrl), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ clientId: "alice", assetId: "usdc", amount: "10" })
      })
      const session = Path.join(folder, `${runtime.replaceAll(" ", "-")}-ledger.db`)
      const env = {
        CUSTODY_ENVIRONMENT: "emulator",
        CUSTODY_BASE_URL: baseUrl,
        CUSTODY_API_KEY: apiKey,
        CUSTODY_SESSION_FILE: session
      }
      const { output } = await must(run(command, [...args, "ledger.ts", ...more], { cwd: folder, env }))
      if (!output.includes(said)) throw new Error(output)
    })
}))
