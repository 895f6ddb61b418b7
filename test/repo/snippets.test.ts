import { assert, describe, it } from "@effect/vitest"
import * as Snippets from "./snippets.ts"

const page = [
  "# Guide",
  "```sh",
  "pnpm test",
  "```",
  "## Calls",
  "",
  "```ts",
  "export const one: number = 1",
  "```",
  "",
  "1. In a list:",
  "",
  "   ```typescript title=x",
  "   if (true) {",
  "     void 0",
  "   }",
  "   ```"
].join("\n")

const source = [
  "/**",
  " * Does it.",
  " *",
  " * @example",
  " * ```ts",
  " * const it = 1",
  " *",
  " * void it",
  " * ```",
  " */",
  "export const does = 1",
  "",
  "export class Thing {",
  "  /**",
  "   * @example",
  "   * Thing.make()",
  "   */",
  "  static readonly make = 2",
  "}"
].join("\n")

describe("snippets", () => {
  it("are found in a page, each with its line and heading, whatever its indentation", () => {
    assert.deepStrictEqual(Snippets.ofMarkdown("docs/guide.md", page), [
      { file: "docs/guide.md", line: 8, heading: "Calls", text: "export const one: number = 1" },
      { file: "docs/guide.md", line: 14, heading: "Calls", text: "if (true) {\n  void 0\n}" }
    ])
  })

  it("are found in a doc comment, with the name that it documents", () => {
    const [example, without] = Snippets.ofSource("a.ts", source)
    assert.deepStrictEqual(example, {
      file: "a.ts",
      line: 6,
      heading: "does",
      text: "const it = 1\n\nvoid it"
    })
    assert.strictEqual(without!.heading, "make")
    assert.strictEqual(without!.line, 15)
    assert.strictEqual(without!.text, Snippets.withoutCode)
  })

  it("are there: in the README, and in the sources", () => {
    const snippets = Snippets.all()
    assert.isTrue(snippets.some(({ file }) => file === "README.md"))
    assert.isAbove(snippets.filter(({ file }) => file.startsWith("packages")).length, 20)
  })
})

it("a program with a store of its own reads the session keys, so that CUSTODY_SESSION_KEY encrypts there too", () => {
  const programs = Snippets.all().filter(
    ({ file, text }) =>
      file.endsWith(".md") &&
      /TokenStorePostgres\.layer\(|TokenStore\.make\(/.test(text) &&
      text.includes("Config.Redacted(")
  )
  assert.isAbove(programs.length, 2)
  for (const { file, text } of programs) assert.include(text, "yield* NodeCustody.sessionKeysConfig", file)
})
