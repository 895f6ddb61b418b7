import { type CustodyClient, Upload, type InputInvalid } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Reports, requestOf, sentBy } from "../../../test/support/clients/reportsApi.ts"
import type { Sent } from "../../../test/support/clients/stubHttp.ts"

const path = ({ url }: Sent) => url.slice("http://127.0.0.1:4010".length)

describe("an endpoint's request", () => {
  it.effect("a request has its parameters in the path and its query behind it, escaped, without absent fields", () =>
    Effect.gen(function* () {
      const plain = yield* requestOf(Effect.ignore(Reports.list({ year: 2026, page: undefined, kind: undefined })))
      assert.strictEqual(path(plain), "/api/integration/reports/2026/days")
      const request = yield* requestOf(
        Effect.ignore(
          Reports.list({ year: 2026, page: 2, limit: 50, search: "a&b=c d/é", order: "desc", kind: "daily" })
        )
      )
      assert.strictEqual(request.method, "GET")
      assert.strictEqual(
        path(request),
        "/api/integration/reports/2026/days?page=2&limit=50&order=desc&search=a%26b%3Dc+d%2F%C3%A9&kind=daily"
      )
      assert.strictEqual(request.body, "")
      assert.notProperty(request.headers, "content-type")
      assert.strictEqual(request.headers["x-access-token"], "access-0")
    })
  )

  it.effect.each([
    ["a/b", "a%2Fb"],
    ["../../x", "..%2F..%2Fx"],
    ["%2e%2e", "%252e%252e"],
    ["a?b=c#d", "a%3Fb%3Dc%23d"],
    [":year", "%3Ayear"],
    ["é 漢", "%C3%A9%20%E6%BC%A2"]
  ] as const)("a request has the parameter %j as one segment of its path", ([day, segment]) =>
    Effect.gen(function* () {
      const request = yield* requestOf(Reports.remove({ day }))
      assert.strictEqual(path(request), `/api/integration/reports/${segment}`)
      assert.strictEqual(request.method, "DELETE")
      assert.strictEqual(request.body, "")
      assert.notProperty(request.headers, "content-type")
    })
  )

  it.effect("a request has its other fields in a JSON body, without absent fields", () =>
    Effect.gen(function* () {
      const request = yield* requestOf(Reports.create({ day: "2026-11-20", title: `"É"`, lines: [{ amount: 1.5 }] }))
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(path(request), "/api/integration/reports/2026-11-20")
      assert.strictEqual(request.headers["content-type"], "application/json")
      assert.strictEqual(request.body, String.raw`{"title":"\"É\"","lines":[{"amount":1.5}]}`)
      const bare = yield* requestOf(Reports.create({ day: "x", title: "t", note: undefined }))
      assert.strictEqual(bare.body, `{"title":"t"}`)
    })
  )

  it.effect(
    "an upload declares no length if a file's size is unknown, and a file's name or type adds no line to its part",
    () =>
      Effect.gen(function* () {
        const streamed = Upload.fromStream({
          name: `a"b\r\nX-Evil: 1.csv`,
          contentType: "text/csv\r\nX-Evil: 1",
          open: () => Stream.make(new TextEncoder().encode("1"))
        })
        const request = yield* requestOf(Reports.upload({ title: "t", document: streamed }))
        assert.notProperty(request.headers, "content-length")
        assert.include(
          request.body,
          `filename="a%22b%0D%0AX-Evil: 1.csv"\r\nContent-Type: text/csv X-Evil: 1\r\n\r\n1\r\n`
        )
      })
  )
})

/** The paths and messages of a refused input. Asserts that nothing was sent. */
const issuesOf = <A, E>(program: Effect.Effect<A, E | InputInvalid, CustodyClient>) =>
  Effect.map(sentBy(Effect.flip(program)), ({ exit, sent }) => {
    assert.strictEqual(sent.length, 0)
    const error: unknown = exit._tag === "Success" ? exit.value : undefined
    assert(error instanceof Object && "issues" in error && Array.isArray(error.issues), String(exit))
    return (error as InputInvalid).issues.map(({ path }) => path)
  })

describe("an endpoint's input", () => {
  it.effect("an input of a wrong type, missing or out of range is refused with the path of the mistake", () =>
    Effect.gen(function* () {
      for (const [input, paths] of [
        [{ title: 1 }, [["title"]]],
        [{}, [["title"]]],
        [{ title: undefined }, [["title"]]],
        [{ title: null }, [["title"]]],
        [{ title: "t", day: 1 }, [["day"]]],
        [{ title: "t", lines: [{ amount: 1 }, { amount: "1" }] }, [["lines", 1, "amount"]]],
        [{ title: 1, note: 2 }, [["title"], ["note"]]]
      ] as const) {
        assert.deepStrictEqual<unknown>(yield* issuesOf(Reports.create({ day: "x", ...input } as never)), paths)
      }
      assert.deepStrictEqual(yield* issuesOf(Reports.list({ year: 2026, page: 0 })), [["page"]])
      assert.deepStrictEqual(yield* issuesOf(Reports.list({ year: 2026, kind: "yearly" as never })), [["kind"]])
      assert.deepStrictEqual(yield* issuesOf(Reports.upload({ title: "t", document: "text" as never })), [["document"]])
    })
  )

  it.effect("an input with an unknown field is refused, and the error repeats none of its values", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* sentBy(
        Effect.flip(Reports.create({ day: "x", title: "t", colour: "canary", __proto__: {} } as never))
      )
      assert.strictEqual(sent.length, 0)
      assert(exit._tag === "Success" && exit.value._tag === "InputInvalid")
      assert.strictEqual(
        exit.value.message,
        "reports.create was not sent: colour: is not a field of this endpoint, whose fields are day, title, lines, note"
      )
      const parsed: unknown = JSON.parse(`{"day":"x","title":"t","__proto__":{"a":1},"constructor":1}`)
      assert.deepStrictEqual(yield* issuesOf(Reports.create(parsed as never)), [["__proto__"], ["constructor"]])
    })
  )

  it.effect("an input is refused if it is no object, or if a parameter would change the path", () =>
    Effect.gen(function* () {
      for (const input of ["x", 1, true]) assert.deepStrictEqual(yield* issuesOf(Reports.create(input as never)), [[]])
      assert.deepStrictEqual(yield* issuesOf(Reports.create(["x"] as never)), [["0"]])
      assert.deepStrictEqual(yield* issuesOf(Reports.create(null as never)), [["day"]])
      for (const day of ["", ".", "..", "\ud800"]) {
        assert.deepStrictEqual(yield* issuesOf(Reports.remove({ day })), [["day"]], JSON.stringify(day))
      }
    })
  )
})
