import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { guideOf, guides, linksOf, packed, unpacked } from "../../tools/release/packedPages.ts"
import { root } from "../../tools/workspace.ts"

const places = new Set(guides.values())

/** Where a link of a packed page leads in the folder of the guides. */
const placeOf = (folder: string, target: string): string => Path.posix.join(folder, target.split("#")[0]!)

describe("the pages of a packed package", () => {
  it.each(globSync("packages/{*,extensions/*}/{README,AGENTS}.md", { cwd: root }))(
    "the links of %s lead to packed guides",
    (file) => {
      const page = readFileSync(Path.join(root, file), "utf8")
      const folder = Path.posix.dirname(file)
      const home = "../core/docs/"
      const away = linksOf(packed(page, folder)).filter((target) => {
        if (target.startsWith(home)) return !places.has(placeOf("", target.slice(home.length)))
        const path = placeOf(folder, target)
        return Path.posix.dirname(path) !== folder || !existsSync(Path.join(root, path))
      })
      assert.deepStrictEqual(away, [])
      assert.strictEqual(unpacked(packed(page, folder), folder), page)
    }
  )

  it.each([...guides.keys()].filter((file) => file.endsWith(".md")))("the guide %s links to guides only", (file) => {
    const folder = Path.posix.dirname(guides.get(file)!)
    const links = linksOf(guideOf(file))
    assert.deepStrictEqual(
      links.filter((target) => !target.startsWith("#") && !places.has(placeOf(folder, target))),
      []
    )
    // No link to a packed page has become its text.
    const there = linksOf(readFileSync(Path.join(root, file), "utf8")).filter((target) =>
      guides.has(Path.posix.join(Path.posix.dirname(file), target.split("#")[0]!))
    )
    assert.lengthOf(
      links.filter((target) => !target.startsWith("#")),
      there.length
    )
  })

  it.each([...guides.keys()].filter((file) => file.endsWith(".md")))(
    "the guide %s has no comment for maintainers and no command of the repository alone",
    (file) => {
      assert.notMatch(guideOf(file), /^<!--|(?<!npx -y )\bpnpm (?!add|install)\w/m)
    }
  )

  it("a link to a page that is not packed becomes its text, and code stays", () => {
    const page = guideOf("README.md")
    assert.include(page, "[The session](session.md)")
    assert.include(page, "[The command `custody`](packages/cli.md)")
    assert.include(page, "the architecture")
    assert.notInclude(page, "architecture.md")
    assert.include(page, `const details = Vaults.details()`)
  })
})
