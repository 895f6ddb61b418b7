/** The package managers that a user may have: what each is told, and how it installs. */
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { inTool, node, pnpm, programOf, type Ran, run } from "./run.ts"

export interface Manager {
  readonly name: string
  readonly install: (folder: string, registry: string) => Promise<Ran>
}

const scope = "@effect-custody"

const write = (folder: string, file: string, text: string) => writeFileSync(Path.join(folder, file), text)

const npmrc = (folder: string, registry: string) =>
  write(folder, ".npmrc", `${scope}:registry=${registry}\naudit=false\nfund=false\n`)

const npm = (name: string, tool: string): Manager => ({
  name,
  install: (folder, registry) => {
    npmrc(folder, registry)
    return node(inTool(tool, "bin/npm-cli.js"), ["install", "--prefer-offline", "--no-update-notifier"], {
      cwd: folder
    })
  }
})

export const npm12 = npm("npm 12", "npm-12")

export const strictPnpm: Manager = {
  name: "pnpm 10, nothing hoisted",
  install: (folder, registry) => {
    npmrc(folder, registry)
    write(folder, "pnpm-workspace.yaml", JSON.stringify({ packages: [], hoist: false, autoInstallPeers: false }))
    return pnpm(["install", "--prefer-offline", "--no-frozen-lockfile"], { cwd: folder })
  }
}

const yarn1: Manager = {
  name: "yarn 1",
  install: (folder, registry) => {
    npmrc(folder, registry)
    return node(inTool("yarn-1", "bin/yarn.js"), ["install", "--prefer-offline", "--no-progress"], { cwd: folder })
  }
}

const bun: Manager = {
  name: "bun",
  install: (folder, registry) => {
    npmrc(folder, registry)
    return run(programOf("bun"), ["install", "--no-progress", "--backend", "copyfile"], { cwd: folder })
  }
}

export const managers: ReadonlyArray<Manager> = [npm12, npm("npm 10", "npm-10"), strictPnpm, yarn1, bun]
