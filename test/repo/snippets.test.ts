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
  })

  it("are there: in the README, and in the sources", () => {
    const snippets = Snippets.all()
    assert.isTrue(snippets.some(({ file }) => file === "README.md"))
    assert.isAbove(snippets.filter(({ file }) => file.startsWith("packages")).length, 20)
  })

  it("that do not compile are told at their place, each on its own", async () => {
    const planted = [
      { file: "docs/a.md", line: 10, heading: "Fine", text: "const x = 1\nexport { x }" },
      { file: "docs/a.md", line: 20, heading: "Loose", text: `\nexport const x: number = ["1"][0]` },
      { file: "docs/a.md", line: 30, heading: "Free", text: `free()` },
      { file: "docs/a.md", line: 40, heading: "Effect", text: `import { Nothing } from "effect"\nvoid Nothing` },
      { file: "packages/a.ts", line: 50, heading: "none", text: Snippets.ofSource("a.ts", source)[1]!.text }
    ]
    const faults = await Snippets.compile("planted", planted)
    assert.deepStrictEqual(
      faults.map(({ heading, line }) => `${heading} ${line}`),
      ["Loose 21", "Free 30", "Effect 40", "none 50"]
    )
  })

  it("all compile, as a user's own modules would", async () => {
    const { faults, snippets } = await Snippets.check()
    assert.isAbove(snippets.length, 0)
    if (faults.length > 0) assert.fail(`\n${faults.map(Snippets.show).join("\n")}`)
  })
})
