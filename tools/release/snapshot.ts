/**
 * `pnpm release snapshot`: the packages of this commit as tarballs in `snapshot/`, under versions of their own, to be
 * installed before they are released.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pack, packages, pnpm, root } from "../workspace.ts"
import { copyOfCommit } from "./copy.ts"

const destination = Path.join(root, "snapshot")
rmSync(destination, { recursive: true, force: true })
mkdirSync(destination)
using copy = copyOfCommit()
// A snapshot has a version also where nothing is to be released.
const changeset = ["---", ...packages.map(({ name }) => `"${name}": patch`), "---", "", "A snapshot."].join("\n")
writeFileSync(Path.join(copy.path, ".changeset/snapshot.md"), changeset)
const quiet = { cwd: copy.path, stdout: "ignore" } as const
pnpm(["install", "--frozen-lockfile", "--prefer-offline"], quiet)
pnpm(["exec", "changeset", "version", "--snapshot", "snapshot"], quiet)
pnpm(["release", "manifests"], quiet)
pnpm(["build"], quiet)
pack(destination, copy.path)
console.log(readdirSync(destination).join("\n"))
