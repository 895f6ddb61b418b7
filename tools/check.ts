/**
 * `pnpm check [PACKAGE]`: lint, format and types, of everything or of one package such as `core`, which takes seconds.
 * The types of tests are checked with everything.
 */
import { spawnSync } from "node:child_process"
import * as Path from "node:path"
import { packages, root } from "./workspace.ts"

const [name] = process.argv.slice(2)
const found = packages.find(({ directory }) => Path.basename(directory) === name)
if (name !== undefined && found === undefined) {
  console.error(`usage: pnpm check [${packages.map(({ directory }) => Path.basename(directory)).join(" | ")}]`)
  process.exit(2)
}
const place = found?.directory ?? "."

for (const [command, ...args] of [
  ["oxlint", "--deny-warnings", place],
  ["oxfmt", "--check", place],
  ["tsc", "-b", ...(found === undefined ? [] : [place])]
] as const) {
  const { status } = spawnSync(Path.join(root, "node_modules/.bin", command), args, { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
