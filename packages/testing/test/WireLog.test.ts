import { RetryPolicy } from "@effect-custody/core"
import { Clients, Vaults } from "@effect-custody/sdk"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { CustodyTest, WireLog } from "@effect-custody/testing"
import { assert, describe, it, vi } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

const log = WireLog.use(({ entries }) => entries)
const transcript = WireLog.use(({ transcript }) => transcript)

/** A log over a client that answers with a text. */
const over = (answer: (request: HttpClientRequest.HttpClientRequest) => Response) =>
  WireLog.layer.pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, answer(request))))
      )
    )
  )

describe("WireLog", () => {
  it.effect("the log holds the request, the answer and the times of each exchange", () =>
    Effect.gen(function* () {
      yield* Vaults.details()
      yield* TestClock.adjust("1 second")
      yield* (yield* CustodyEmulator).faults.next("vaults.details", Fault.delayed({ answer: "30 millis" }))
      const call = yield* Effect.forkChild(Vaults.details())
      yield* TestClock.adjust("30 millis")
      yield* Fiber.join(call)
      const [started, , read] = yield* log
      assert.deepInclude(started, {
        sequence: 1,
        operation: "authentication.generateTokens",
        method: "POST",
        path: "/api/integration/auth/generate-tokens",
        query: [],
        body: '{"apiKey":"<redacted apiKey 1>"}'
      })
      assert.deepInclude(read, { sequence: 3, operation: "vaults.details", method: "GET", body: "" })
      assert.strictEqual(read!.headers["x-access-token"], "<redacted accessToken 1>")
      const { answer, sentAt } = read!
      if (answer._tag !== "Answered") return assert.fail(answer._tag)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(JSON.parse(answer.body ?? "").data.name, "Vault 1")
      assert.strictEqual(DateTime.toEpochMillis(sentAt), 1_000)
      assert.strictEqual(Duration.toMillis(DateTime.distance(sentAt, answer.at)), 30)
    }).pipe(Effect.provide(WireLog.layerEmulator))
  )

  it.effect("the log shows which token went with which call, and never the token", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Vaults.details()
      yield* emulator.expireTokens
      yield* Vaults.details()
      const entries = yield* log
      assert.deepStrictEqual(
        entries.map(({ headers, operation }) => [operation, headers["x-access-token"]]),
        [
          ["authentication.generateTokens", undefined],
          ["vaults.details", "<redacted accessToken 1>"],
          ["vaults.details", "<redacted accessToken 1>"],
          ["authentication.refreshToken", undefined],
          ["vaults.details", "<redacted accessToken 2>"]
        ]
      )
      assert.strictEqual(entries[3]?.body, '{"refreshToken":"<redacted refreshToken 1>"}')
      const everything = JSON.stringify(entries) + (yield* transcript)
      // The emulator's secrets all look like this.
      assert.notMatch(everything, /\b(?:ak|at|rt)_[A-Za-z0-9]{40}/)
      assert.strictEqual((yield* emulator.counts).requests, entries.length)
    }).pipe(Effect.provide(WireLog.layerEmulator))
  )

  it.effect("the log shows the end of an exchange without an answer", () =>
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      yield* Vaults.details()
      for (const fault of [Fault.neverArrived(), Fault.answerLost(), Fault.truncated(5), Fault.silence()]) {
        yield* faults.next("vaults.details", fault)
      }
      for (let call = 0; call < 5; call++) yield* Effect.ignore(Vaults.details().pipe(CustodyTest.fastForward()))
      const answers = (yield* log).slice(2).map(({ answer }) => answer)
      const told = answers.map((answer) => {
        if (answer._tag === "NotAnswered") return answer.reason
        return answer._tag === "Answered" ? (answer.brokenOff ?? answer.status) : answer._tag
      })
      assert.deepStrictEqual(told, ["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET", "GivenUp", 200])
    }).pipe(RetryPolicy.provide(RetryPolicy.none), Effect.provide(WireLog.layerEmulator))
  )

  it.effect("a cleared log continues its numbering", () =>
    Effect.gen(function* () {
      const { clear } = yield* WireLog
      yield* Vaults.details()
      yield* clear
      assert.deepStrictEqual(yield* log, [])
      assert.strictEqual(yield* transcript, "Nothing was sent.")
      yield* Vaults.details()
      assert.deepStrictEqual(
        (yield* log).map(({ sequence }) => sequence),
        [3]
      )
    }).pipe(Effect.provide(WireLog.layerEmulator))
  )
})

describe("WireLog over any client", () => {
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(HttpClient.HttpClient, (client) => client.execute(request))

  it.effect("the log changes no request and no answer", () =>
    Effect.gen(function* () {
      const request = HttpClientRequest.post("https://custody.example/x?a=1", {
        urlParams: { b: "2" },
        body: HttpBody.stream(Stream.make(new TextEncoder().encode("abc")), "text/plain")
      })
      const response = yield* send(request)
      assert.deepStrictEqual(yield* response.json, { sent: "stream" })
      assert.strictEqual(response.status, 201)
      assert.strictEqual(response.headers["x-own"], "yes")
      const [entry] = yield* log
      assert.strictEqual(entry!.path, "/x")
      assert.deepStrictEqual(Object.fromEntries(entry!.query), { a: "1", b: "2" })
      assert.isUndefined(entry!.operation)
    }).pipe(
      Effect.provide(
        over(({ body }) =>
          Response.json({ sent: body._tag.toLowerCase() }, { status: 201, headers: { "x-own": "yes" } })
        )
      )
    )
  )

  /** With more digits than a number of JavaScript has. */
  const text = '{"grüße": 0.10000000000000000001}'

  it.effect("the log holds a body that is read as text, bytes, JSON or a stream, and none that is not read", () =>
    Effect.gen(function* () {
      const get = send(HttpClientRequest.get("https://custody.example/"))
      yield* (yield* get).text
      yield* (yield* get).arrayBuffer
      yield* (yield* get).json
      yield* Stream.runDrain((yield* get).stream)
      yield* get
      const bodies = (yield* log).map(({ answer }) => (answer._tag === "Answered" ? answer.body : answer._tag))
      assert.deepStrictEqual(bodies, [text, text, text, text, undefined])
      assert.include(yield* transcript, "(its body was not read)")
    }).pipe(Effect.provide(over(() => new Response(text))))
  )

  it.effect("the log redacts a secret that an answer repeats in another spelling", () =>
    Effect.gen(function* () {
      const token = "canary/token+with=signs\\and=more"
      const request = HttpClientRequest.get("https://custody.example/y", { headers: { "x-access-token": token } })
      yield* (yield* send(request)).text
      const [entry] = yield* log
      const body = entry?.answer._tag === "Answered" ? entry.answer.body : undefined
      assert.strictEqual(body, '{"a":"<redacted>","b":["<redacted>","<redacted>"],"d":"kept"}')
    }).pipe(
      Effect.provide(
        over(({ headers }) => {
          const token = headers["x-access-token"]!
          const spelt = [encodeURIComponent(token), token.toUpperCase(), encodeURIComponent(token).toLowerCase()]
          return Response.json({ a: `before ${spelt[0]}`, b: spelt.slice(1), d: "kept" })
        })
      )
    )
  )

  it.effect("the log redacts a later secret in earlier exchanges too", () =>
    Effect.gen(function* () {
      const next = "Canary-of-the-next-Token-0123456789"
      const first = yield* send(
        HttpClientRequest.post(`https://custody.example/${next}?a=${next}`, {
          headers: { "x-a": next },
          body: HttpBody.text(next)
        })
      )
      yield* first.text
      yield* send(HttpClientRequest.get("https://custody.example/b", { headers: { "x-access-token": next } }))
      const entries = yield* log
      assert.notInclude(JSON.stringify(entries) + (yield* transcript), next)
      assert.strictEqual(entries[0]!.body, "<redacted accessToken 1>")
    }).pipe(
      Effect.provide(
        over(() => {
          const next = "Canary-of-the-next-Token-0123456789"
          return Response.json({ hint: next }, { headers: { "x-hint": next } })
        })
      )
    )
  )

  it.effect("the log finds secrets by their names, and redacts their values everywhere", () =>
    Effect.gen(function* () {
      const request = HttpClientRequest.post("https://custody.example/y?access_token=canary-query", {
        headers: {
          "X-ACCESS-TOKEN": "canary-header",
          authorization: "Bearer canary-bearer",
          "x-other": "canary-header"
        },
        body: HttpBody.jsonUnsafe({
          deep: [{ apiKey: 'canary-"key"\\' }],
          refresh_token: "canary-refresh"
        })
      })
      yield* (yield* send(request)).text
      const everything = JSON.stringify(yield* log) + (yield* transcript)
      assert.notInclude(everything, "canary")
      assert.include(everything, "<redacted refreshToken 1>")
    }).pipe(
      Effect.provide(
        over(
          () =>
            // Said again, and a new one in an answer that breaks off.
            new Response('not JSON: canary-header, canary-refresh, {"accessToken": "canary-ne', {
              headers: { "set-cookie": "canary-cookie" }
            })
        )
      )
    )
  )
})

describe("the transcript of a WireLog", () => {
  it.effect("the transcript lists the exchanges in order", () =>
    Effect.gen(function* () {
      const refused = Fault.refused({ status: 422, fields: { limit: ["is too large"] } })
      yield* (yield* CustodyEmulator).faults.next("clients.list", refused)
      yield* Effect.ignore(Clients.list({ limit: 500, search: "a b" }))
      assert.strictEqual(
        (yield* transcript).split("\n\n")[1],
        [
          "#2  +0 ms  GET /api/integration/clients?limit=500&search=a+b  (clients.list)",
          "    > x-access-token: <redacted accessToken 1>",
          "    < 422 after 0 ms",
          '    < {"status":422,"message":"Refused","errors":{"message":"Refused","limit":["is too large"]}}'
        ].join("\n")
      )
    }).pipe(Effect.provide(WireLog.layerEmulator))
  )

  it.effect(
    "printOnFailure prints the transcript if the effect fails, dies or is interrupted, and not if it succeeds",
    () =>
      Effect.gen(function* () {
        const spy = vi.spyOn(console, "error").mockImplementation(() => {})
        const printed = Effect.fnUntraced(function* (end: Effect.Effect<unknown, string>) {
          spy.mockClear()
          const exit = yield* Vaults.details().pipe(
            Effect.andThen(end),
            WireLog.printOnFailure,
            Effect.provide(WireLog.layerEmulator, { local: true }),
            Effect.exit
          )
          return [Exit.isSuccess(exit), spy.mock.calls.map(([text]) => String(text))] as const
        })
        assert.deepStrictEqual(yield* printed(Effect.void), [true, []])
        for (const end of [Effect.fail("no"), Effect.die("no"), Effect.interrupt]) {
          const [succeeded, texts] = yield* printed(end)
          assert.isFalse(succeeded)
          assert.lengthOf(texts, 1)
          assert.include(texts[0], "GET /api/integration/vaults/details  (vaults.details)")
        }
        spy.mockRestore()
      })
  )
})
