import * as Spreadsheet from "@effect-custody/ledger/siblings/Spreadsheet"
import { assert, describe, it } from "@effect/vitest"

describe("a CSV file for a spreadsheet", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1+1", "'-1+1"],
    ["-cmd", "'-cmd"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", `"'\r=1"`],
    ["＝1", "'＝1"],
    ["-12.50", "-12.50"],
    ["12.50", "12.50"],
    ["a=b", "a=b"],
    ['a "b", c', '"a ""b"", c"'],
    [null, '""']
  ])("a cell %j is written as %j", (cell, written) => {
    assert.strictEqual(Spreadsheet.toCsv(["note"], [{ note: cell }]), `note\r\n${written}\r\n`)
  })
})
