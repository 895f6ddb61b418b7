/** Other programs, run to their end or until they are stopped. */
import { execFile, spawn } from "node:child_process"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { pnpmCommand } from "../../workspace.ts"

export interface Ran {
  readonly ok: boolean
  /** What it wrote, first to standard output and then to standard error. */
  readonly output: string
  readonly stdout: string
}

interface Options {
  readonly cwd: string
  readonly env?: Record<string, string | undefined>
  readonly timeoutSeconds?: number
}

/** A program does not see that pnpm runs this script: the settings of the workspace are none of its own. */
export const environment = (own: Options["env"] = {}) => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i.test(name))
  return { ...Object.fromEntries(inherited), ...own }
}

/** Runs a program to its end. */
export const run = (command: string, args: ReadonlyArray<string>, options: Options): Promise<Ran> =>
  new Promise((resolve) => {
    const { cwd, env, timeoutSeconds = 600 } = options
    const limits = { timeout: timeoutSeconds * 1000, killSignal: "SIGKILL", maxBuffer: Infinity } as const
    const child = execFile(command, args, { cwd, env: environment(env), ...limits }, (error, stdout, stderr) => {
      const ending = error === null ? "" : error.signal ? `\nended by ${error.signal}` : `\n${error.code}`
      resolve({ ok: error === null, output: `${stdout}${stderr}${ending}`, stdout })
    })
    child.stdin?.end()
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

export const pnpm = (args: ReadonlyArray<string>, options: Options): Promise<Ran> => run(...pnpmCommand(args), options)

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
