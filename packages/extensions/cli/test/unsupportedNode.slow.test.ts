import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../../../..")
const bins = globSync("packages/{*,extensions/*}/bin/*.mjs", { cwd: root })

/** The flags with which this Node reports another version. */
const reportVersion = (version: string) => [
  "--import",
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
]

const run = (node: string, args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(node, args, { encoding: "utf8", cwd: root })
  return { status, stderr, stdout }
}

it("each command prints the Node version that it needs and exits with 1 under an older Node", () => {
  assert.isAtLeast(bins.length, 2)
  for (const bin of bins) {
    for (const version of ["20.20.2", "22.18.0"]) {
      assert.deepStrictEqual(run(process.execPath, [...reportVersion(version), bin, "--version"]), {
        status: 1,
        stderr: `Node 22.19 or newer is needed; this is ${version}.\n`,
        stdout: ""
      })
    }
    const newer = run(process.execPath, [...reportVersion("22.19.0"), bin, "--version"])
    assert.deepStrictEqual([newer.status, newer.stderr], [0, ""], bin)
  }
})
