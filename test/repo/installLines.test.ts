/** What an example imports, its reader has installed: by the page's own line, or, in the docs, as `sdk` and `node`. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import * as Path from "node:path"
import { packages, root } from "../../.ci/workspace.ts"
import * as Snippets from "./snippets.ts"

/** The packages of the imports in the examples of a page. */
const importedBy = (file: string, page: string): ReadonlySet<string> =>
  new Set(
    Snippets.ofMarkdown(file, page).flatMap(({ text }) =>
      [...text.matchAll(/^(?:import|\} from|export .* from)\b[^"]*"([^"]+)"/gm)].flatMap(([, from = ""]) => {
        if (from.startsWith(".") || isBuiltin(from)) return []
        return [from.split("/", from.startsWith("@") ? 2 : 1).join("/")]
      })
    )
  )

/** The packages that the lines `npm install` of a page name. */
const installedBy = (page: string): ReadonlySet<string> =>
  new Set(
    [...page.replaceAll("\\\n", " ").matchAll(/\bnpm install ([^\n`]+)/g)].flatMap(([, names = ""]) =>
      names.split(/\s+/).filter((name) => name !== "" && !name.startsWith("-"))
    )
  )

const read = (file: string): string => readFileSync(Path.join(root, file), "utf8")

/** What a program that depends on `sdk` has of it: docs/packages.md promises that it needs no other package of ours. */
const { dependencies: parts = {} } = packages.find(({ name }) => name === "@effect-custody/sdk")!.manifest

describe("every package that an example imports", () => {
  it.each(packages.map(({ directory }) => `${directory}/README.md`))("of %s is in its install line", (file) => {
    const page = read(file)
    const installed = installedBy(page)
    assert.deepStrictEqual(
      [...importedBy(file, page)].filter((name) => !installed.has(name)),
      []
    )
  })

  it("is found, however it is imported", () => {
    const page = [
      "```sh",
      "npm install --save-dev one \\",
      "  @a/two",
      "```",
      "```ts",
      `import "three"`,
      `import * as Two from "@a/two/Two"`,
      "import {",
      "  A",
      `} from "@a/four"`,
      `import { b } from "./b.ts"`,
      `import { c } from "node:fs"`,
      "```"
    ].join("\n")
    assert.deepStrictEqual([...importedBy("a.md", page)], ["three", "@a/two", "@a/four"])
    assert.deepStrictEqual([...installedBy(page)], ["one", "@a/two"])
  })

  it.each(globSync(["README.md", "docs/**/*.md"], { cwd: root }))(
    "of %s is not one that is a part of `sdk`",
    (file) => {
      assert.deepStrictEqual(
        [...importedBy(file, read(file))].filter((name) => name in parts),
        []
      )
    }
  )
})
