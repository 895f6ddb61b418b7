import * as JsonText from "@effect-custody/contract/JsonText"
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

describe("JsonText.withValue", () => {
  it.each([
    ['{"a":{"b":true}}', '{"a":{"b":["x"]}}'],
    [
      '{\r\n\t"a": {\r\n\t\t"b": true,\r\n\t\t"c":   1\r\n\t}\r\n}',
      '{\r\n\t"a": {\r\n\t\t"b": [\r\n\t\t\t"x"\r\n\t\t],\r\n\t\t"c":   1\r\n\t}\r\n}'
    ],
    ['\uFEFF{\n    "a": {}\n}\n', '\uFEFF{\n    "a": {\n        "b": [\n            "x"\n        ]\n    }\n}\n']
  ])("keeps the form of %j", (text, expected) => {
    assert.strictEqual(JsonText.withValue(text, ["a", "b"], ["x"]), expected)
  })

  it("removes a value", () => {
    assert.strictEqual(JsonText.withValue('{"a":{"b":1,"c":2}}', ["a", "b"], undefined), '{"a":{"c":2}}')
  })
})
