/** The documentation's code, compiled in one run of the compiler. */
import { assert, describe, it } from "@effect/vitest"
import * as Snippets from "./snippets.ts"

describe("snippets", () => {
  it("that do not compile are reported at their place, each on its own", async () => {
    const planted = [
      { file: "docs/a.md", line: 10, heading: "Fine", text: "const x = 1\nexport { x }" },
      { file: "docs/a.md", line: 20, heading: "Loose", text: `\nexport const x: number = ["1"][0]` },
      { file: "docs/a.md", line: 30, heading: "Free", text: `free()` },
      { file: "docs/a.md", line: 40, heading: "Effect", text: `import { Nothing } from "effect"\nvoid Nothing` },
      { file: "packages/a.ts", line: 50, heading: "none", text: Snippets.withoutCode }
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
