/**
 * `node test/mutation/session.ts [NUMBER…]`: changes the session's modules in one place at a time, or in those places
 * alone that are named by their numbers, and looks whether a test notices. Ends with 1 if fewer than nine in ten are
 * noticed. The sources are never written: a mutant is made as the module is loaded, in the worker that runs the tests.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { equivalents, type Mutant, mutants } from "./mutants.ts"

const root = Path.resolve(import.meta.dirname, "../..")
const only = process.argv.slice(2).map(Number)

/** Whether the session's tests pass over sources with a mutant in them, or over the sources as they are. */
const passes = (mutant: Mutant | undefined): boolean => {
  const { status } = spawnSync(
    process.execPath,
    [
      Path.join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      "test/mutation/vitest.config.ts",
      "--bail",
      "1"
    ],
    { cwd: root, env: { ...process.env, MUTANT: JSON.stringify(mutant ?? {}) }, stdio: "ignore", timeout: 180_000 }
  )
  return status === 0
}

const all = [...mutants, ...equivalents]
const texts = new Map(
  all.map(({ file }) => [file, readFileSync(Path.join(root, "packages/authentication/src", file), "utf8")])
)
const unusable = all.filter(
  ({ file, from, to }, index) =>
    texts.get(file)!.split(from).length !== 2 ||
    from === to ||
    all.findIndex((other) => other.file === file && other.from === from && other.to === to) !== index
)
for (const { file, from } of unusable) {
  console.error(`${file}: the place of a mutant is gone or there twice, or the mutant changes nothing new: ${from}`)
}
if (unusable.length > 0) process.exit(2)

// A test that fails anyway would kill every mutant.
if (!passes(undefined)) {
  console.error("the session's tests do not pass as it is")
  process.exit(2)
}

let killed = 0
let tried = 0
for (const [index, mutant] of mutants.entries()) {
  if (only.length > 0 && !only.includes(index)) continue
  tried++
  const how = passes(mutant) ? "survived" : "killed"
  if (how === "killed") killed++
  console.log(
    `${how} ${index} ${mutant.file}: ${mutant.from.trim().split("\n")[0]} -> ${mutant.to.trim().split("\n")[0]}`
  )
}
console.log(`${killed} of ${tried} killed (${((100 * killed) / tried).toFixed(1)} %)`)
process.exitCode = killed / tried >= 0.9 ? 0 : 1
