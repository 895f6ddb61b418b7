/** Runs the examples of the testing guide, and the tests in the other pages. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { ofMarkdown, root } from "../../../test/repository/snippets.ts"

const guide = "docs/testing.md"
const examplesIn = (page: string) => ofMarkdown(page, readFileSync(Path.join(root, page), "utf8"))
/** An example that imports a file of the reader cannot run here. */
const isTest = ({ text }: { readonly text: string }) =>
  text.includes(`from "@effect/vitest"`) && !text.includes(`from "./`)

const pages = globSync(["README.md", "docs/**/*.md"], { cwd: root }).sort()
const tests = pages.flatMap((page) =>
  examplesIn(page)
    .filter((snippet) => page === guide || isTest(snippet))
    .map((snippet) => ({ page, ...snippet }))
)

const folder = Path.join(root, "node_modules/.cache/guide")
mkdirSync(folder, { recursive: true })

for (const { line, page, text } of tests) {
  const module = Path.join(folder, `${page.replaceAll(/\W+/g, "-")}-${line}.mjs`)
  writeFileSync(module, stripTypeScriptTypes(text))
  const url = pathToFileURL(module)
  // An example calls `it` when it is loaded, and so adds its tests to this block.
  describe(`the example at ${page}:${line}`, async () => {
    await import(/* @vite-ignore */ `${url.href}?${Date.now()}`)
  })
}

it("the README has an example that is a test", () => {
  assert.isAbove(tests.filter(({ page }) => page === "README.md").length, 0)
})
