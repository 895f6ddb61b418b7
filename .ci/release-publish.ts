/**
 * `pnpm release:publish`: builds, checks, and publishes every package whose version the registry does not have yet, with
 * a tag for each. `--dry-run` shows what would be sent.
 */
import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { packages, root } from "./workspace.ts"

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } })

const pnpm = (...args: ReadonlyArray<string>) => {
  const script = process.env["npm_execpath"]
  const [command, first] = script === undefined ? ["pnpm", []] : [process.execPath, [script]]
  const { status } = spawnSync(command, [...first, ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) process.exit(status ?? 1)
}

pnpm("build")
pnpm("release:check", ...(values["dry-run"] ? ["--rehearsal"] : []))
if (values["dry-run"])
  pnpm(...packages.flatMap(({ name }) => ["--filter", name]), "publish", "--dry-run", "--no-git-checks")
else pnpm("exec", "changeset", "publish")
