/** What an example imports, its reader has installed: by the page's own line, or, in the docs, as `sdk` and `node`. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import * as Path from "node:path"
import { packages, root } from "../../tools/workspace.ts"
import { ofMarkdown } from "./snippets.ts"

/** The packages that the examples of a page import. */
const importedBy = (page: string): ReadonlyArray<string> =>
  ofMarkdown("", page)
    .flatMap(({ text }) => [...text.matchAll(/^(?:import|\} from|export .* from)\b[^"]*"([^"]+)"/gm)])
    .map(([, from = ""]) => from)
    .filter((from) => !from.startsWith(".") && !isBuiltin(from))
    .map((from) => from.split("/", from.startsWith("@") ? 2 : 1).join("/"))

/** The packages that the lines `npm install` of a page name. */
const installedBy = (page: string): ReadonlyArray<string> =>
  [...page.replaceAll("\\\n", " ").matchAll(/\bnpm install ([^\n`]+)/g)].flatMap(([, names = ""]) => names.split(/\s+/))

const read = (file: string): string => readFileSync(Path.join(root, file), "utf8")

/** What a program that depends on `sdk` has of it: docs/packages.md promises that it needs no other package of ours. */
const { dependencies: parts = {} } = packages.find(({ name }) => name === "@effect-custody/sdk")!.manifest

/** The pages of the packages with an example in code: `cli` is a command. */
const pages = packages
  .map(({ directory }) => `${directory}/README.md`)
  .filter((page) => page !== "packages/cli/README.md")

describe("every package that an example imports", () => {
  it.each(pages)("of %s is in its install line", (file) => {
    const page = read(file)
    const imported = importedBy(page)
    assert.isNotEmpty(imported)
    assert.includeMembers([...installedBy(page)], [...imported])
  })

  it.each(globSync(["README.md", "docs/**/*.md"], { cwd: root }))(
    "of %s is not one that is a part of `sdk`",
    (file) => {
      assert.deepStrictEqual(
        importedBy(read(file)).filter((name) => name in parts),
        []
      )
    }
  )
})
