import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { metadata, stale } from "../../tools/release/manifests.ts"
import { packages, root } from "../../tools/workspace.ts"

describe("manifests", () => {
  it.each(packages.map((one) => [one.directory, one] as const))(
    "the manifest of %s has the generated metadata and a description",
    (_, one) => {
      assert.deepInclude(one.manifest, metadata(one), "run `pnpm release manifests`")
      assert.match(one.manifest.description ?? "", /^[A-Z].{20,}\.$/)
    }
  )

  it("the manifests and their generated files are as `pnpm release manifests` writes them", () => {
    assert.deepStrictEqual(
      stale().map(({ file }) => Path.relative(root, file)),
      []
    )
  })

  it("the page on versions of Effect has the range of each peer that is Effect's", () => {
    const ranges = packages.flatMap(({ manifest }) => Object.entries(manifest.peerDependencies ?? {}))
    const rows = readFileSync(Path.join(root, "docs/effect-versions.md"), "utf8").match(/^\| `.*/gm)
    assert.sameMembers(
      rows ?? [],
      [...new Set(ranges.map(([name, range]) => `| \`${name}\` | \`${range}\` |`))].filter((row) =>
        row.includes("effect")
      )
    )
  })

  it("the packages have the same version, because they are released together", () => {
    assert.strictEqual(new Set(packages.map(({ manifest }) => manifest.version)).size, 1)
  })
})
