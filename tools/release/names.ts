/**
 * `pnpm release names --repository OWNER/NAME`: gives each package that the registry does not know its name there, by an
 * empty version 0.0.0, and lets `release.yml` alone publish the next ones. A person runs it once, after `npm login`, with
 * a second factor: the registry lets a workflow publish a package only after its first version. `--dry-run` shows the
 * commands.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { packages } from "../workspace.ts"
import { temporaryFolder } from "./copy.ts"
import { isLacking } from "./publish.ts"
import { installTools, inTool } from "./try/run.ts"

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, repository: { type: "string" } }
})
if (values.repository === undefined) {
  console.error("usage: pnpm release names --repository OWNER/NAME [--dry-run]")
  process.exit(2)
}
const trust = ["--repo", values.repository, "--file", "release.yml", "--env", "release", "--allow-publish", "--yes"]

await installTools()
const npm = (folder: string, ...args: ReadonlyArray<string>) => {
  console.log(`npm ${args.join(" ")}`)
  if (values["dry-run"]) return
  execFileSync(process.execPath, [inTool("npm-12", "bin/npm-cli.js"), ...args], { cwd: folder, stdio: "inherit" })
}

for (const { name } of packages) {
  if (!isLacking(name, "*")) {
    console.log(`· ${name} is there`)
    continue
  }
  using folder = temporaryFolder()
  const manifest = { name, version: "0.0.0", description: "Keeps the name until the first version.", license: "MIT" }
  writeFileSync(Path.join(folder.path, "package.json"), JSON.stringify(manifest))
  npm(folder.path, "publish", "--access", "public")
  npm(folder.path, "trust", "github", name, ...trust)
  // From here on no token publishes: a person with a second factor can, and the workflow.
  npm(folder.path, "access", "set", "mfa=publish", name)
}
