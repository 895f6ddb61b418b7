/**
 * `pnpm release install FOLDER`: installs all packages of this clone with npm into a new folder, as if they were
 * published, to try them before they are. Builds and packs them, and names each tarball in the folder's `package.json`.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { packages, pnpm, readManifest, root } from "../workspace.ts"

const [target] = process.argv.slice(2)
if (target === undefined) {
  console.error("usage: pnpm release install FOLDER")
  process.exit(2)
}
// pnpm changes to the root of the clone, and keeps where it was called.
const folder = Path.resolve(process.env["INIT_CWD"] ?? process.cwd(), target)
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty`)
  process.exit(1)
}
const tarballs = Path.join(folder, "tarballs")
mkdirSync(tarballs, { recursive: true })

const versions = readManifest(root).devDependencies ?? {}
/**
 * What the documentation's programs and tests need beside the packages. Each has a version: with tarballs, npm does not
 * come to an end for a peer that is named without one.
 */
const others = ["effect", "@effect/platform-node", "@effect/sql-pg", "redis"]
const tools = ["@effect/vitest", "@types/node", "typescript", "vitest"]
const pinned = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, versions[name]]))

pnpm(["build"], { stdout: "ignore" })
pnpm([...packages.flatMap(({ name }) => ["--filter", name]), "pack", "--pack-destination", tarballs], {
  stdout: "ignore"
})
const ours = packages.map(({ manifest, name }) => [
  name,
  `file:tarballs/${name.slice(1).replace("/", "-")}-${manifest.version}.tgz`
])
writeFileSync(
  Path.join(folder, "package.json"),
  JSON.stringify({
    private: true,
    type: "module",
    dependencies: { ...Object.fromEntries(ours), ...pinned(others) },
    devDependencies: pinned(tools)
  })
)
// npm does not know what pnpm leaves in the environment.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name)))
execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, env, stdio: "inherit" })
console.log(`${packages.length} packages are installed in ${folder}`)
