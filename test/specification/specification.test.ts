/**
 * The statements of the specification, in its order, each tried twice: the SDK against a service that is written from the
 * specification alone, and a plain `fetch` against the emulator.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../tools/workspace.ts"
import { emulatorWorld, sdkWorld } from "./statement.ts"
import { numbered, sections } from "./statements.ts"
import { fileOf, isNothing, statements } from "./table.ts"

const triedBy = (world: "sdk" | "emulator") =>
  sections.filter(({ statements: all }) => all.some((statement) => statement[world] !== undefined))

describe.each(triedBy("sdk"))("the SDK: $title", ({ statements }) => {
  for (const { number, sdk, says } of statements) {
    if (sdk !== undefined) it.live(`${number} ${says}`, () => Effect.provide(sdk, sdkWorld))
  }
})

describe.each(triedBy("emulator"))("the emulator: $title", ({ statements }) => {
  for (const { emulator, number, says } of statements) {
    if (emulator !== undefined) it.live(`${number} ${says}`, () => Effect.provide(emulator, emulatorWorld))
  }
})

it("every statement is tried, and has its own words", () => {
  for (const { emulator, sdk, says } of numbered) assert.isTrue(sdk !== undefined || emulator !== undefined, says)
  const texts = numbered.map(({ section, says }) => `${section}: ${says}`)
  assert.strictEqual(new Set(texts).size, texts.length)
})

it("the page's table of statements is up to date: `pnpm run docs specification` writes it", () => {
  for (const statement of numbered)
    assert.isTrue(isNothing(statement) || fileOf(statement.where) !== undefined, statement.where)
  const page = readFileSync(Path.join(root, "docs/specification.md"), "utf8")
  assert.include(page, `<!-- statements -->\n\n${statements()}\n\n<!-- /statements -->`)
})
