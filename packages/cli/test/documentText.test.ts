import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { read } from "../src/contract/documentText.ts"

describe("read", () => {
  it("read accepts a document in YAML", () => {
    const yaml = `
openapi: 3.0.0
info: { title: Acme, version: "1" }
paths:
  /wallets/{walletId}:
    get: { operationId: getWallet, responses: { "200": { description: A wallet } } }
`
    assert.deepStrictEqual(
      Result.getOrThrow(read(yaml)).operations.map(({ method, name, path, success }) => [method, name, path, success]),
      [["GET", "getWallet", "/wallets/:walletId", [200]]]
    )
  })

  it("read accepts a document in YAML with 300 aliases", () => {
    const aliases = Array.from({ length: 300 }, (_, at) => `  /a${at}: *item`).join("\n")
    const yaml = `openapi: 3.0.0\ninfo: { title: A }\npaths:\n  /a: &item { get: { responses: {} } }\n${aliases}\n`
    assert.strictEqual(Result.getOrThrow(read(yaml)).operations.length, 301)
  })

  it.each([
    ["", "it is empty"],
    ["\n<!doctype html>", "it is HTML or XML"],
    [Buffer.from("\uFEFF{}", "utf16le").toString("utf8"), "perhaps UTF-16"],
    ['{\n"a": 1,\n"a": 2}', 'line 3: "a" is repeated'],
    ["a: 1\nb: 1\na: 2", "line 3: Map keys must be unique"],
    ["[1]", "not an OpenAPI 3 document"],
    ['{\n"swagger": "2.0", "paths": {}}', "line 2: it is Swagger 2"],
    [`{"openapi":"3.1.0","paths":{}}`, "no operation"],
    ['{"openapi":"3.1.0",\n"paths":{"/a":{"$ref":"#/%zz"}}}', "line 2: the $ref #/%zz is malformed"]
  ])("read refuses the text %j", (text, reason) => {
    assert.include(Result.getOrThrow(Result.flip(read(text))), reason)
  })
})
