import * as JsonText from "@effect-custody/contract/unstable/JsonText"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

const mistakes = (text: string) =>
  Result.match(JsonText.read(text), {
    onSuccess: () => [],
    onFailure: ({ column, line, message }) => [`${line}:${column} ${message}`]
  })

describe("JsonText.read", () => {
  it("keeps every digit, also after a byte order mark", () => {
    const value = Result.getOrThrow(JsonText.read('\uFEFF{"a":[9007199254740993,1.5],"b":"x"}'))
    assert.deepStrictEqual(value, { a: ["9007199254740993", 1.5], b: "x" })
  })

  it.each([
    ['{"a":1,\n"a":2}', '2:1 "a" is repeated'],
    ['{"a":{"b":1,"b":1}}', '1:13 "b" is repeated'],
    ['[{"__proto__":1,"\\u005f_proto__":2}]', '1:17 "__proto__" is repeated'],
    ["{", "1:2 close brace expected, the text ends here"],
    [`[${"1,".repeat(200_000)}1]`, "1:1 SyntaxError: JSON has more than 200000 values"]
  ])("refuses %.40s", (text, mistake) => {
    assert.deepStrictEqual(mistakes(text), [mistake])
  })

  it("reads many values under a long key, and quotes only the beginning of a repeated key", () => {
    const long = "q".repeat(200_000)
    const inner = Array.from({ length: 20_000 }, (_, at) => `"x${at}":1`).join()
    assert.isTrue(Result.isSuccess(JsonText.read(`{"${long}":{${inner}}}`)))
    const [repeated = ""] = mistakes(`{${Array.from({ length: 30 }, () => `"${long}":1`).join()}}`)
    assert.include(repeated, "is repeated")
    assert.isBelow(repeated.length, 200)
  })

  it("accepts a key in two objects, and a value equal to a key", () => {
    assert.deepStrictEqual(mistakes('[{"a":"a"},{"a":{"a":1}}]'), [])
  })
})
