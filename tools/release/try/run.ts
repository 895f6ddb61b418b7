/** Other programs, run to their end or until they are stopped. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import * as Path from "node:path"

export interface Ran {
  readonly ok: boolean
  /** What it wrote, standard output and standard error as they came. */
  readonly output: string
  readonly stdout: string
  readonly seconds: number
}

interface Options {
  readonly cwd: string
  readonly env?: Record<string, string | undefined>
  readonly timeoutSeconds?: number
}

/** A program does not see that pnpm runs this script: the settings of the workspace are none of its own. */
const environment = (own: Options["env"]) => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i.test(name))
  return { ...Object.fromEntries(inherited), ...own }
}

/** Runs a program to its end. */
export const run = (command: string, args: ReadonlyArray<string>, options: Options): Promise<Ran> =>
  new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: environment(options.env),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: (options.timeoutSeconds ?? 600) * 1000,
      killSignal: "SIGKILL"
    })
    let stdout = ""
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      output += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    const end = (ok: boolean, more = "") =>
      resolve({ ok, output: output + more, stdout, seconds: (performance.now() - start) / 1000 })
    child.once("error", (error) => end(false, error.message))
    child.once("close", (code, signal) => end(code === 0, signal === null ? "" : `\nended by ${signal}`))
  })

/** Starts a program. `found` has the groups of what it is awaited to say. */
export const started = (
  command: string,
  args: ReadonlyArray<string>,
  { cwd, env, timeoutSeconds = 120 }: Options,
  awaited: RegExp
) => {
  const child = spawn(command, args, {
    cwd,
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  let said = ""
  const found = new Promise<Record<string, string>>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const match = awaited.exec(said)
      if (match !== null) resolve({ ...match.groups })
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("error", reject)
    child.once("exit", () => reject(new Error(`${command} ended: ${said}`)))
    setTimeout(() => reject(new Error(`${command} does not start: ${said}`)), timeoutSeconds * 1000).unref()
  })
  // The whole group: what is started may be a script that starts the program.
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
  }
  return { found, said: () => said, stop }
}

/** Node as it runs this script, with a script of its own. */
export const node = (script: string, args: ReadonlyArray<string>, options: Options): Promise<Ran> =>
  run(process.execPath, [script, ...args], options)

/** pnpm as it runs this script. `npx` sets the same variable, for npm. */
export const pnpm = (args: ReadonlyArray<string>, options: Options): Promise<Ran> => {
  const script = process.env["npm_execpath"]
  return script !== undefined && /pnpm/.test(Path.basename(script))
    ? node(script, args, options)
    : run("pnpm", args, options)
}

export const must = async (running: Promise<Ran>): Promise<Ran> => {
  const ran = await running
  if (!ran.ok) throw new Error(ran.output)
  return ran
}

/** The programs that the packages are tried with; see `tools/package.json`. */
export const tools = Path.join(import.meta.dirname, "tools")

const requireTool = createRequire(Path.join(tools, "package.json"))

/** A library among the tools. */
export const loadTool = (name: string) => import(requireTool.resolve(name))

/** A file of a tool. */
export const inTool = (name: string, file: string): string => Path.join(tools, "node_modules", name, file)

/** A program that a tool brings, by its name in `node_modules/.bin`. */
export const programOf = (name: string): string => Path.join(tools, "node_modules/.bin", name)

export const installTools = () => must(pnpm(["install", "--frozen-lockfile", "--prefer-offline"], { cwd: tools }))
