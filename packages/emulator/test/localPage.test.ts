import * as Page from "@effect-custody/emulator/siblings/Page"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest, HttpServerResponse } from "effect/http"

const request = HttpClientRequest.get("/")

const read = (path: string, body = "") => {
  const manifest = import.meta.resolve("@effect-custody/emulator/package.json")
  const answer = Page.make({ title: "a <page>", body, manifest, visible: (text) => text.toUpperCase() })(path)!
  return Effect.map(HttpServerResponse.toClientResponse(answer, { request }).text, (text) => ({ answer, text }))
}

describe("a local page", () => {
  it.effect("loads only its own files, and nothing inline", () =>
    Effect.gen(function* () {
      const { answer, text } = yield* read("", Page.table("rows", "Rows", ["name", ">amount"]))
      const policy = answer.headers["content-security-policy"]!
      assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';/)
      assert.notInclude(policy, "unsafe")
      const linked = [...text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, to]) => to)
      assert.deepStrictEqual(linked, ["data:,", "parts.css", "page.css", "page.js"])
      assert.deepStrictEqual([...text.matchAll(/ on\w+=| style=|<style|<script>/g)], [])
      assert.include(text, "a &#60;page&#62;")
      assert.include(text, `<th scope="col" class="end">amount</th>`)
    })
  )

  it.effect.each([
    ["page.js", "text/javascript", `from "./parts.js"`],
    ["parts.js", "text/javascript", "export const byId"],
    ["visible.js", "text/javascript", "toUpperCase"],
    ["page.css", "text/css", "#pending"],
    ["parts.css", "text/css", "color-scheme"]
  ] as const)("serves %s", ([file, type, part]) =>
    Effect.gen(function* () {
      const { answer, text } = yield* read(file)
      assert.include(answer.headers["content-type"], type)
      assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
      assert.include(text, part)
    })
  )

  it("has no other file", () => {
    const page = Page.make({
      title: "",
      body: "",
      manifest: import.meta.resolve("@effect-custody/cli/package.json"),
      visible: (text) => text
    })
    for (const path of ["package.json", "../page.js", "browser/page.js"]) assert.isUndefined(page(path))
  })
})
