import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { page, table, tableIn } from "./endpointTable.ts"

describe("the table of endpoints", () => {
  it("has a row for each of the 47, and says what each does", () => {
    const rows = table()
      .split("\n")
      .filter((line) => line.startsWith("| `"))
    assert.lengthOf(rows, 47)
    for (const row of rows) {
      const [, name = "", sentence = ""] = row.split("|").map((cell) => cell.trim())
      assert.isNotEmpty(sentence, `${name} has no doc comment`)
    }
  })

  it("is as the code has it: `node test/repo/endpointTable.ts` writes it", () => {
    assert.strictEqual(tableIn(readFileSync(page, "utf8")), table())
  })
})
