/** The quickstart on each runtime, and a worker in workerd, all against the installed emulator. */
import { randomInt } from "node:crypto"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { inTool, loadTool, programOf, type Ran, run, started } from "./run.ts"

export interface Tried {
  readonly runtime: string
  readonly what: string
  readonly ran: Ran
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
export const quickstartOn = ({ args, command, runtime }: (typeof runtimes)[number], folder: string): Promise<Tried> =>
  run(command, [...args, "quickstart/main.ts"], {
    cwd: folder,
    env: { PATH: pathOf(folder), DENO_TLS_CA_STORE: "system" },
    timeoutSeconds: 180
  }).then((ran) => ({ runtime, what: "`NodeCustody`: undici, session in SQLite", ran }))

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

/** Runs an attempt against the installed emulator, which ends with it. */
const withEmulator = async (
  folder: string,
  runtime: string,
  what: string,
  attempt: (emulator: { readonly baseUrl: string; readonly apiKey: string }) => Promise<Omit<Ran, "seconds" | "stdout">>
): Promise<Tried> => {
  const start = performance.now()
  const ended = ({ ok, output }: Omit<Ran, "seconds" | "stdout">): Tried => ({
    runtime,
    what,
    ran: { ok, output, stdout: output, seconds: (performance.now() - start) / 1000 }
  })
  const emulator = started(
    Path.join(folder, "node_modules/.bin/custody-emulator"),
    ["--port", "0", "--quiet"],
    { cwd: folder, env: { PATH: pathOf(folder) } },
    /(?<baseUrl>http:\/\/\S+)[^]*API key: (?<apiKey>\S+)/
  )
  try {
    const { apiKey = "", baseUrl = "" } = await emulator.found
    return ended(await attempt({ baseUrl, apiKey }))
  } catch (error) {
    return ended({ ok: false, output: String(error) })
  } finally {
    emulator.stop()
  }
}

/**
 * On Bun: `fetch`, and a session that its next process goes on with. Bun has a stand-in of its own for undici, which
 * cannot tell when a request is sent, so `NodeCustody` refuses to start there.
 */
export const bun = (folder: string): Promise<Tried> =>
  withEmulator(folder, "Bun", "`Custody.layer`: fetch, session in SQLite", async ({ apiKey, baseUrl }) => {
    const env = { CUSTODY_BASE_URL: baseUrl, CUSTODY_SESSION_FILE: Path.join(folder, "bun.db") }
    const first = await run(programOf("bun"), ["fetch.ts"], { cwd: folder, env: { ...env, CUSTODY_API_KEY: apiKey } })
    const second = await run(programOf("bun"), ["fetch.ts"], { cwd: folder, env })
    const refused = await run(programOf("bun"), ["quickstart/worker.ts", "read"], { cwd: folder, env })
    const output = `${first.output}\n${second.output}\n${refused.output}`
    const ok = [first, second].every((one) => one.ok && one.stdout.startsWith("the vault is "))
    return { ok: ok && !refused.ok && refused.output.includes("FetchHttpClient.layer"), output }
  })

/** Bundles the consumer's worker as a user would, and asks it for the vault. */
export const worker = (folder: string): Promise<Tried> =>
  withEmulator(folder, "workerd", "`Custody.layer`: fetch, session in memory", async ({ apiKey, baseUrl }) => {
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
      const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
      return { ok: text.startsWith("the vault is "), output: text }
    } finally {
      service.stop()
    }
  })
