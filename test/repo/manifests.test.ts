import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { metadata, stale, versionModule } from "../../.ci/manifests.ts"
import { packages, repository, root, versionFileOf } from "../../.ci/workspace.ts"

describe("manifests", () => {
  it.each(packages.map((one) => [one.directory, one] as const))(
    "%s says where it comes from, what it exports, and what it is",
    (_, one) => {
      assert.deepInclude(one.manifest, metadata(one), "run `pnpm manifests`")
      assert.match(one.manifest.description ?? "", /^[A-Z].{20,}\.$/)
    }
  )

  it("and what else follows from them, are as `pnpm manifests` writes them", () => {
    assert.deepStrictEqual(
      stale().map(({ file }) => Path.relative(root, file)),
      []
    )
  })

  it("all have the same version, for they are released together", () => {
    assert.strictEqual(new Set(packages.map(({ manifest }) => manifest.version)).size, 1)
  })

  it("are the only place of the version: what the code needs of it is written from there", () => {
    const withVersion = packages.flatMap((one) => {
      const file = versionFileOf(one)
      return file === undefined ? [] : [{ one, file }]
    })
    assert.isAbove(withVersion.length, 0)
    for (const { file, one } of withVersion)
      assert.strictEqual(readFileSync(file, "utf8"), versionModule(one), `run \`pnpm manifests\``)
    const version = JSON.stringify(packages[0]!.manifest.version)
    const repeated = globSync("packages/*/{src,bin}/**/*.{ts,mjs}", { cwd: root }).filter(
      (file) =>
        !file.endsWith(Path.join("internal", "version.ts")) &&
        readFileSync(Path.join(root, file), "utf8").includes(version)
    )
    assert.deepStrictEqual(repeated, [])
  })

  it("name the repository of whoever publishes, which stands in one place", () => {
    const tracked = globSync(
      ["*.{json,md,yaml}", "{.ci,.github,docs,examples,packages,templates}/**/*.{ts,mjs,json,md,yml,yaml}"],
      {
        cwd: root,
        exclude: (name) => String(name).includes("node_modules") || String(name).includes("dist")
      }
    )
    const named = tracked.filter((file) => readFileSync(Path.join(root, file), "utf8").includes(repository))
    const expected = ["package.json", ...packages.map(({ directory }) => `${directory}/package.json`)]
    assert.deepStrictEqual(named.map((file) => file.replaceAll(Path.sep, "/")).sort(), expected.sort())
  })
})
