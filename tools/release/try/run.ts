/** Other programs, run to their end. */
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

/** Runs a program. It does not see that pnpm runs this script: the settings of the workspace are none of its own. */
export const run = (command: string, args: ReadonlyArray<string>, options: Options): Promise<Ran> =>
  new Promise((resolve) => {
    const start = performance.now()
    const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i.test(name))
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...Object.fromEntries(inherited), ...options.env },
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
