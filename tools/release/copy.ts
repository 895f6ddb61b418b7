/** A copy of the last commit, in which a command may change what it likes. */
import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { root } from "../workspace.ts"

/** A new folder among the temporary files, until the end of a `using`. */
export const temporaryFolder = () => mkdtempDisposableSync(Path.join(Os.tmpdir(), "effect-custody-"))

export const copyOfCommit = () => {
  const copy = temporaryFolder()
  execFileSync("git", ["clone", "--quiet", "--no-local", root, copy.path])
  return copy
}
