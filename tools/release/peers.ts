/**
 * `pnpm release peers lowest | highest`: types and tests with the oldest, or the newest, versions of Effect that the
 * ranges in `peerDependencies` allow. `pnpm release peers effect@4.0.6` tries versions of one's own choice. It works on
 * a copy of the last commit, and runs the unit tests, or those that are named.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { packages, pnpm, readManifest, root } from "../workspace.ts"

const semver: {
  readonly maxSatisfying: (versions: ReadonlyArray<string>, range: string) => string | null
  readonly minSatisfying: (versions: ReadonlyArray<string>, range: string) => string | null
} = createRequire(import.meta.url)("semver")

const { positionals } = parseArgs({ allowPositionals: true })
const isTest = (path: string): boolean => path.split("/").includes("test")
const wanted = positionals.filter((one) => !isTest(one))
const tests = positionals.filter(isTest)

const ranges = Object.assign({}, ...packages.map(({ manifest }) => manifest.peerDependencies)) as Record<string, string>
const pinned = Object.assign(
  {},
  ...packages.map(({ manifest }) => manifest.devDependencies),
  readManifest(root).devDependencies
) as Record<string, string>

/** The versions that the registry has, and a range allows. */
const ends = (name: string, range: string) => {
  const versions: ReadonlyArray<string> = [
    JSON.parse(pnpm(["view", name, "versions", "--json"], { stdout: "pipe" }))
  ].flat()
  const lowest = semver.minSatisfying(versions, range)
  const highest = semver.maxSatisfying(versions, range)
  if (lowest === null || highest === null) throw new Error(`no version of ${name} is within ${range}`)
  return { lowest, highest }
}

const [mode = ""] = wanted
const isEnd = (name: string): name is "lowest" | "highest" => name === "lowest" || name === "highest"
if (wanted.length === 0 || (!isEnd(mode) && !wanted.every((one) => /.@\d/.test(one)))) {
  console.error("usage: pnpm release peers lowest | highest | NAME@VERSION… [TESTS…]")
  process.exit(2)
}

const chosen: Record<string, string> = isEnd(mode)
  ? Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, ends(name, range)[mode]]))
  : Object.fromEntries(wanted.map((one) => [one.slice(0, one.lastIndexOf("@")), one.slice(one.lastIndexOf("@") + 1)]))

for (const [name, version] of Object.entries(chosen)) console.log(`${name} ${version} (range ${ranges[name]})`)

if (Object.entries(chosen).every(([name, version]) => pinned[name] === version) && tests.length === 0) {
  console.log("These are the versions that the workspace itself is tried with: its own tests have shown it.")
  process.exit(0)
}

/** The same version everywhere, whatever a manifest asks for. */
const pin = (folder: string) => {
  const file = Path.join(folder, "pnpm-workspace.yaml")
  writeFileSync(file, `${readFileSync(file, "utf8")}\noverrides: ${JSON.stringify(chosen)}\n`)
}

const copy = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
try {
  const archive = Path.join(copy, "archive.tar")
  execFileSync("git", ["archive", "--output", archive, "HEAD"], { cwd: root })
  const folder = Path.join(copy, "workspace")
  execFileSync("mkdir", [folder])
  execFileSync("tar", ["-xf", archive, "-C", folder])
  pin(folder)
  pnpm(["install", "--no-frozen-lockfile", "--prefer-offline", "--reporter", "silent"], { cwd: folder })
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync(process.execPath, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] })
  const tsc = Path.join(folder, "node_modules/typescript/bin/tsc")
  if (!existsSync(tsc)) throw new Error("the copy is not installed")
  run(tsc, "-b")
  run(Path.join(folder, "node_modules/vitest/vitest.mjs"), "run", "--project", "unit", ...tests)
} catch (error) {
  console.error(
    `✗ with ${Object.entries(chosen)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}: ${String(error)}`
  )
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
