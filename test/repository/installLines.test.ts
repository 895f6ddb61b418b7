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

/** The parts of `sdk`. docs/packages.md promises that a program that depends on `sdk` needs none of them. */
const { dependencies: parts = {} } = packages.find(({ name }) => name === "@effect-custody/sdk")!.manifest

/** The pages of the packages with an example in code. `cli` is a command. */
const pages = packages
  .map(({ directory }) => `${directory}/README.md`)
  .filter((page) => page !== "packages/extensions/cli/README.md")

describe("the imports of examples", () => {
  it.each(pages)("the install line of %s has every package that its examples import", (file) => {
    const page = read(file)
    const imported = importedBy(page)
    assert.isNotEmpty(imported)
    assert.includeMembers([...installedBy(page)], [...imported])
  })

  it.each(globSync(["README.md", "docs/**/*.md"], { cwd: root }))(
    "the examples of %s import no package that is a part of `sdk`",
    (file) => {
      assert.deepStrictEqual(
        importedBy(read(file)).filter((name) => name in parts),
        []
      )
    }
  )
})

describe("what a reader runs without installing it", () => {
  it("every npx line of a page names the package of its command, because anyone may register a bare name", () => {
    const lines = globSync(
      ["README.md", "docs/**/*.md", "packages/{*,extensions/*}/README.md", "examples/*/README.md"],
      { cwd: root }
    )
      .flatMap((file) => read(file).match(/\bnpx [^\n`]+/g) ?? [])
      .filter((line) => !/^npx (-p @effect-custody\/|-y pnpm@|tsc\b|vitest\b)/.test(line))
    assert.deepStrictEqual(lines, [])
  })
})
