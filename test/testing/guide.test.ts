/** The examples of the testing guide, run as they stand there. */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { ofMarkdown, root } from "../docs/snippets.ts"

const guide = "docs/testing.md"
const snippets = ofMarkdown(guide, readFileSync(Path.join(root, guide), "utf8"))

const folder = Path.join(root, "node_modules/.cache/guide")
mkdirSync(folder, { recursive: true })

for (const { heading, line, text } of snippets) {
  const module = Path.join(folder, `${line}.mjs`)
  writeFileSync(module, stripTypeScriptTypes(text))
  const url = pathToFileURL(module)
  // The examples call `it` when they are loaded: those of one heading become its tests.
  describe(`${guide}, ${heading}`, async () => {
    await import(/* @vite-ignore */ `${url.href}?${Date.now()}`)
  })
}

it("the guide has an example for each part of the kit", () => {
  const all = snippets.map(({ text }) => text).join("\n")
  for (const part of [
    "stub(",
    "layer)",
    "Faults.play",
    "VirtualSession.",
    "printOnFailure",
    "entries",
    "Generators."
  ]) {
    assert.include(all, part)
  }
})

it("the stranger's test has fewer than 25 lines", () => {
  const lines = readFileSync(Path.join(import.meta.dirname, "stranger.test.ts"), "utf8")
    .trimEnd()
    .split("\n")
  assert.isBelow(lines.length, 25)
})
