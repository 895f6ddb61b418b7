/** The quickstart on each runtime, and a worker in workerd, all against the installed emulator. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import * as Path from "node:path"
import { inTool, loadTool, programOf, type Ran, run } from "./run.ts"

export interface Tried {
  readonly runtime: string
  readonly what: string
  readonly ran: Ran
}

export const runtimes = [
  { runtime: "Node 24", command: process.execPath, args: [] },
  { runtime: "Node 22", command: inTool("node-22", "bin/node"), args: [] },
  { runtime: "Bun", command: programOf("bun"), args: [] },
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
  }).then((ran) => ({ runtime, what: "quickstart", ran }))

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Waits until a program has said something. */
const started = (command: string, args: ReadonlyArray<string>, cwd: string, awaited: RegExp) => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: pathOf(cwd) },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const found = new Promise<Record<string, string>>((resolve, reject) => {
    let said = ""
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const match = awaited.exec(said)
      if (match !== null) resolve({ ...match.groups })
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("error", reject)
    child.once("exit", () => reject(new Error(`${command} ended: ${said}`)))
  })
  return { child, found }
}

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

/** Bundles the consumer's worker as a user would, and asks it for the vault. */
export const worker = async (folder: string): Promise<Tried> => {
  const start = performance.now()
  const emulator = started(
    Path.join(folder, "node_modules/.bin/custody-emulator"),
    ["--port", "0", "--quiet"],
    folder,
    /(?<baseUrl>http:\/\/\S+)[^]*API key: (?<apiKey>\S+)/
  )
  const running = [emulator.child]
  const ended = (ok: boolean, output: string): Tried => ({
    runtime: "workerd",
    what: "fetch, session in memory",
    ran: { ok, output, stdout: output, seconds: (performance.now() - start) / 1000 }
  })
  try {
    const { apiKey = "", baseUrl = "" } = await emulator.found
    const esbuild = await loadTool("esbuild")
    await esbuild.build({
      entryPoints: [Path.join(folder, "worker.ts")],
      outfile: Path.join(folder, "worker.js"),
      bundle: true,
      format: "esm",
      conditions: ["workerd"],
      logLevel: "silent"
    })
    const port = await freePort()
    writeFileSync(Path.join(folder, "workerd.capnp"), config("worker.js", port, baseUrl, apiKey))
    const args = ["serve", "workerd.capnp", "--control-fd=1"]
    const service = started(programOf("workerd"), args, folder, /"event":"listen"/)
    running.push(service.child)
    await service.found
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const text = await response.text()
    return ended(text.startsWith("the vault is "), text)
  } catch (error) {
    return ended(false, String(error))
  } finally {
    for (const child of running) child.kill("SIGKILL")
  }
}
