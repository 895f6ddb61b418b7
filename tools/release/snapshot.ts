/**
 * `pnpm release snapshot`: the packages of this commit as tarballs in `snapshot/`, under versions of their own, to be
 * installed before they are released. It works on a copy, so that nothing here changes.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { packages, pnpm, root } from "../workspace.ts"

const copy = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
const destination = Path.join(root, "snapshot")
rmSync(destination, { recursive: true, force: true })
mkdirSync(destination)
try {
  execFileSync("git", ["clone", "--quiet", "--no-local", root, copy])
  // A snapshot has a version also where nothing is to be released.
  const changeset = ["---", ...packages.map(({ name }) => `"${name}": patch`), "---", "", "A snapshot."].join("\n")
  writeFileSync(Path.join(copy, ".changeset/snapshot.md"), changeset)
  const quiet = { cwd: copy, stdout: "ignore" } as const
  pnpm(["install", "--frozen-lockfile", "--prefer-offline"], quiet)
  pnpm(["exec", "changeset", "version", "--snapshot", "snapshot"], quiet)
  pnpm(["release", "manifests"], quiet)
  pnpm(["build"], quiet)
  pnpm([...packages.flatMap(({ name }) => ["--filter", name]), "pack", "--pack-destination", destination], quiet)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(readdirSync(destination).join("\n"))
