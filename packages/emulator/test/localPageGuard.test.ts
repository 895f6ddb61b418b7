import * as Guard from "@effect-custody/emulator/siblings/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest, HttpServerRequest } from "effect/http"
import * as Option from "effect/Option"

/** The status of a refusal, or `undefined` for a request that is admitted. */
const refused = (headers: Record<string, string>, from = "127.0.0.1") =>
  Effect.gen(function* () {
    const request = HttpServerRequest.fromClientRequest(HttpClientRequest.get("http://127.0.0.1/", { headers })).modify(
      { headers: headers as never, remoteAddress: Option.some(from) }
    )
    const refusal = Guard.refusal(request)
    return refusal && (yield* refusal).status
  })

describe("the guard of a local page", () => {
  it.effect.each(["localhost", "localhost:4010", "a.localhost", "127.0.0.1:80", "127.1.2.3", "[::1]:9"])(
    "admits a request to %s",
    (host) =>
      Effect.gen(function* () {
        assert.isUndefined(yield* refused({ host }))
        assert.isUndefined(yield* refused({ host, origin: `http://${host}` }))
      })
  )

  it.effect.each(["rebound.example", "localhost.example", "127.0.0.1.example", "192.168.0.1", ""])(
    "refuses a request to %s, which may be another page's name for this machine",
    (host) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refused({ host }), 403)
      })
  )

  it.effect("refuses another origin, and another machine", () =>
    Effect.gen(function* () {
      const host = "127.0.0.1:4010"
      for (const origin of ["https://elsewhere.example", "null", "http://127.0.0.1:4011", `https://${host}`]) {
        assert.strictEqual(yield* refused({ host, origin }), 403, origin)
      }
      for (const from of ["192.168.0.7", "::ffff:10.0.0.1", "127.0.0.1.example"]) {
        assert.strictEqual(yield* refused({ host }, from), 403, from)
      }
      for (const from of ["::1", "::ffff:127.0.0.1", "127.9.9.9"]) assert.isUndefined(yield* refused({ host }, from))
    })
  )
})
