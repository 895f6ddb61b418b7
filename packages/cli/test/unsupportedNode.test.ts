import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../../..")
const bins = globSync("packages/*/bin/*.mjs", { cwd: root })

/** This Node, saying that it is another. */
const pretending = (version: string) => [
  "--import",
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
]

const run = (node: string, args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(node, args, { encoding: "utf8", cwd: root })
  return { status, stderr, stdout }
}

it("each command says under an older Node which one it needs, and exits with 1", () => {
  assert.isAtLeast(bins.length, 2)
  for (const bin of bins) {
    for (const version of ["20.20.2", "22.18.0"]) {
      assert.deepStrictEqual(run(process.execPath, [...pretending(version), bin, "--version"]), {
        status: 1,
        stderr: `Node 22.19 or newer is needed; this is ${version}.\n`,
        stdout: ""
      })
    }
    const newer = run(process.execPath, [...pretending("22.19.0"), bin, "--version"])
    assert.deepStrictEqual([newer.status, newer.stderr], [0, ""], bin)
  }
})
