/**
 * `pnpm release install FOLDER`: installs all packages of this clone with npm into a new folder, as if they were
 * published, to try them before they are. Builds and packs them, and names each tarball in the folder's `package.json`.
 * With `--production`, without what only tests need.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { pack, pinned, pnpm } from "../workspace.ts"
import { environment } from "./try/run.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { production: { type: "boolean", default: false } }
})
const [target] = positionals
if (target === undefined) {
  console.error("usage: pnpm release install FOLDER [--production]")
  process.exit(2)
}
// pnpm changes to the root of the clone, and keeps where it was called.
const folder = Path.resolve(process.env["INIT_CWD"] ?? process.cwd(), target)
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty`)
  process.exit(1)
}

/**
 * What the documentation's programs and tests need beside the packages. Each has a version: with tarballs, npm does not
 * come to an end for a peer that is named without one.
 */
const others = ["effect", "@effect/platform-node", "@effect/sql-pg", "redis"]
const tools = ["@effect/vitest", "@types/node", "typescript", "vitest"]
const versionsOf = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, pinned[name]]))

pnpm(["build"], { stdout: "ignore" })
const packed = pack(Path.join(folder, "tarballs"))
const ours = packed.map(({ name, tarball }) => [name, `file:tarballs/${Path.basename(tarball)}`])
writeFileSync(
  Path.join(folder, "package.json"),
  JSON.stringify({
    private: true,
    type: "module",
    dependencies: { ...Object.fromEntries(ours), ...versionsOf(others) },
    devDependencies: values.production ? {} : versionsOf(tools)
  })
)
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
  cwd: folder,
  env: environment(),
  stdio: "inherit"
})
console.log(`${packed.length} packages are installed in ${folder}`)
