/**
 * `pnpm release peers lowest | highest`: types and unit tests with the oldest, or the newest, versions of Effect that the
 * ranges in `peerDependencies` allow, in a copy of the last commit.
 */
import { execFileSync } from "node:child_process"
import { appendFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { isDeepStrictEqual } from "node:util"
import { packages, pinned, pnpm } from "../workspace.ts"
import { copyOfCommit } from "./copy.ts"

const semver: Readonly<
  Record<"maxSatisfying" | "minSatisfying", (versions: ReadonlyArray<string>, range: string) => string | null>
> = createRequire(import.meta.url)("semver")

const end = process.argv[2]
if (end !== "lowest" && end !== "highest") {
  console.error("usage: pnpm release peers lowest | highest")
  process.exit(2)
}

/** The version at this end of a range, among those that the registry has. */
const versionAtEnd = (name: string, range: string): string => {
  const versions: ReadonlyArray<string> = [
    JSON.parse(pnpm(["view", name, "versions", "--json"], { stdout: "pipe" }))
  ].flat()
  const version = semver[end === "lowest" ? "minSatisfying" : "maxSatisfying"](versions, range)
  if (version === null) throw new Error(`no version of ${name} is within ${range}`)
  console.log(`${name} ${version} (range ${range})`)
  return version
}

const ranges = Object.assign({}, ...packages.map(({ manifest }) => manifest.peerDependencies)) as Record<string, string>
const chosen = Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, versionAtEnd(name, range)]))
if (isDeepStrictEqual(chosen, Object.fromEntries(Object.keys(chosen).map((name) => [name, pinned[name]])))) {
  console.log("These are the versions that the workspace itself is tried with: its own tests have shown it.")
  process.exit(0)
}

using copy = copyOfCommit()
const run = (script: string, ...args: ReadonlyArray<string>) =>
  execFileSync(process.execPath, [Path.join(copy.path, "node_modules", script), ...args], {
    cwd: copy.path,
    stdio: ["ignore", "inherit", "inherit"]
  })
try {
  // The same version everywhere, whatever a manifest asks for.
  appendFileSync(Path.join(copy.path, "pnpm-workspace.yaml"), `\noverrides: ${JSON.stringify(chosen)}\n`)
  pnpm(["install", "--no-frozen-lockfile", "--prefer-offline", "--reporter", "silent"], { cwd: copy.path })
  run("typescript/bin/tsc", "-b")
  run("vitest/vitest.mjs", "run", "--project", "unit")
} catch (error) {
  console.error(`✗ with ${JSON.stringify(chosen)}: ${String(error)}`)
  process.exitCode = 1
}
