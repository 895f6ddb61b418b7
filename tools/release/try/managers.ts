/** The package managers that a user may have: what each is told, and how it installs. */
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pnpmCommand } from "../../workspace.ts"
import { inTool, programOf, type Ran, run } from "./run.ts"

export interface Manager {
  readonly name: string
  readonly install: (folder: string, registry: string) => Promise<Ran>
}

/** Makes a manager. `workspace` is what pnpm alone reads. */
const manager = (
  name: string,
  [command, args]: readonly [command: string, args: ReadonlyArray<string>],
  workspace?: object
): Manager => ({
  name,
  install: (folder, registry) => {
    const write = (file: string, text: string) => writeFileSync(Path.join(folder, file), text)
    write(".npmrc", `@effect-custody:registry=${registry}\naudit=false\nfund=false\n`)
    if (workspace !== undefined) write("pnpm-workspace.yaml", JSON.stringify(workspace))
    return run(command, args, { cwd: folder })
  }
})

const script = (tool: string, file: string, ...args: ReadonlyArray<string>) =>
  [process.execPath, [inTool(tool, file), "install", "--prefer-offline", ...args]] as const

export const npm12 = manager("npm 12", script("npm-12", "bin/npm-cli.js", "--no-update-notifier"))

export const strictPnpm = manager(
  "pnpm 10, nothing hoisted",
  pnpmCommand(["install", "--prefer-offline", "--no-frozen-lockfile"]),
  { packages: [], hoist: false, autoInstallPeers: false }
)

export const managers: ReadonlyArray<Manager> = [
  npm12,
  manager("npm 10", script("npm-10", "bin/npm-cli.js", "--no-update-notifier")),
  strictPnpm,
  manager("yarn 1", script("yarn-1", "bin/yarn.js", "--no-progress")),
  manager("bun", [programOf("bun"), ["install", "--no-progress", "--backend", "copyfile"]])
]
