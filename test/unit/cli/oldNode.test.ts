import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../../..")
const bins = globSync("packages/*/bin/*.mjs", { cwd: root })

const versionOf = (node: string): ReadonlyArray<number> =>
  (/^v(\d+)\.(\d+)/.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? []).slice(1).map(Number)

/** An older Node of this machine, if it has one. */
const older = (process.env["PATH"] ?? "")
  .split(Path.delimiter)
  .map((directory) => Path.join(directory, "node"))
  .find((node) => {
    const [major, minor] = versionOf(node)
    return major !== undefined && (major < 22 || (major === 22 && minor! < 19))
  })

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

it.runIf(older !== undefined)("a real older Node can parse each command", () => {
  for (const bin of bins) {
    const { status, stderr } = run(older!, [bin, "--version"])
    assert.strictEqual(status, 1)
    assert.match(stderr, /^Node 22\.19 or newer is needed; this is [\d.]+\.\n$/)
  }
})
