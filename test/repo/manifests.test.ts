import { assert, describe, it } from "@effect/vitest"
import * as Path from "node:path"
import { metadata, stale } from "../../tools/release/manifests.ts"
import { packages, root } from "../../tools/workspace.ts"

describe("manifests", () => {
  it.each(packages.map((one) => [one.directory, one] as const))(
    "%s says where it comes from, what it exports, and what it is",
    (_, one) => {
      assert.deepInclude(one.manifest, metadata(one), "run `pnpm release manifests`")
      assert.match(one.manifest.description ?? "", /^[A-Z].{20,}\.$/)
    }
  )

  it("and what else follows from them, are as `pnpm release manifests` writes them", () => {
    assert.deepStrictEqual(
      stale().map(({ file }) => Path.relative(root, file)),
      []
    )
  })

  it("all have the same version, for they are released together", () => {
    assert.strictEqual(new Set(packages.map(({ manifest }) => manifest.version)).size, 1)
  })
})
