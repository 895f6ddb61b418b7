import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Conformance from "@effect-custody/testing/Conformance"
import { CustodyTest } from "@effect-custody/testing"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

type Options = Parameters<typeof Conformance.run>[0]

const run = Effect.fnUntraced(function* (options: Partial<Options> = {}) {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  return yield* Conformance.run({ baseUrl, apiKey: yield* issueApiKey(), ...options })
})

/** A run that waits for the access token to expire. */
const runToExpiry = run({ awaitExpiry: "15 minutes" }).pipe(CustodyTest.fastForward())

/** Statements that do not hold, with why. */
const others = ({ findings }: Conformance.Report): Readonly<Record<string, string>> =>
  Object.fromEntries(
    findings.filter(({ verdict }) => verdict !== "holds").map(({ id, seen, verdict }) => [id, `${verdict}: ${seen}`])
  )

const deviating = (report: Conformance.Report): ReadonlyArray<string> =>
  Conformance.deviations(report).map(({ id }) => id)

const answer = ({ answers }: Conformance.Report, id: string) => answers.find((one) => one.id === id)?.answer

const atEmulator = Effect.provide(CustodyEmulator.layerHttpClientWith({ tokenLifetime: "1 minute" }))

/** Somewhere in the present: the emulator's clock would begin at 0, and an expiry have fewer than 13 digits. */
const today = TestClock.setTime(1_770_000_000_000)

/** A request as an edit sees it, and the answer to it. */
interface Seen {
  readonly path: string
  readonly sent: string
  readonly token: string | undefined
  readonly status: number
  readonly body: any
}

/** Changes an answer, or leaves it by giving nothing. */
type Edit = (seen: Seen) => { readonly status?: number; readonly body?: unknown } | void

const textOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** The emulator behind somebody who edits its answers. */
const edited = (edit: Edit) =>
  Effect.updateService(HttpClient.HttpClient, (emulator) =>
    HttpClient.make((request) =>
      Effect.gen(function* () {
        const response = yield* emulator.execute(request)
        const body = JSON.parse(yield* response.text)
        const path = new URL(request.url).pathname.replace("/api/integration", "")
        const token = request.headers["x-access-token"]
        const change = edit({ path, sent: textOf(request), token, status: response.status, body }) ?? {}
        const shown = "body" in change ? change.body : body
        return HttpClientResponse.fromWeb(
          request,
          new Response(typeof shown === "string" ? shown : JSON.stringify(shown), {
            status: change.status ?? response.status,
            headers: { "content-type": "application/json" }
          })
        )
      })
    )
  )

const without = (name: string, body: object) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
const isSession = ({ path, status }: Seen) => path.startsWith("/auth/") && status === 201

/** An edit of answers that bring tokens. */
const ofData =
  (change: (data: any, seen: Seen) => object): Edit =>
  (seen) => {
    if (isSession(seen)) return { body: { ...seen.body, data: change(seen.body.data, seen) } }
  }

/** An edit of successes, or of refusals. */
const ofSuccess =
  (change: (body: any) => unknown): Edit =>
  ({ body, status }) => {
    if (status < 300) return { body: change(body) }
  }
const ofError =
  (change: (body: any) => unknown): Edit =>
  ({ body, status }) => {
    if (status >= 400) return { body: change(body) }
  }

/** One request answered in another way. */
const asked = (path: string, sent: string, change: (seen: Seen) => ReturnType<Edit>): Edit => {
  const wanted = new RegExp(sent)
  return (seen) => (seen.path === path && wanted.test(seen.sent) ? change(seen) : undefined)
}

const generate = "/auth/generate-tokens"
const refresh = "/auth/refresh-token"
const taken = { status: 201, body: { message: "Tokens were generated", data: {}, status: 201 } }

/** The same access token whatever happens, which the emulator is never asked about. */
const stuck = (name: "accessToken" | "refreshToken"): Edit => {
  let first: unknown
  return ofData((data) => ({ ...data, [name]: (first ??= data[name]) }))
}

/** What may be wrong with a server, and the statements that have to say so: those, and no others. */
const wrongs: ReadonlyArray<readonly [what: string, edit: Edit, ids: ReadonlyArray<string>]> = [
  ["no vaultId", ofData((data) => without("vaultId", data)), ["session.vault-id", "generate.fields"]],
  ["vaultId in a refresh", ofData((data) => ({ vaultId: 1, ...data })), ["refresh.no-vault-id"]],
  [
    "expiresAt in seconds",
    ofData((data) => ({ ...data, expiresAt: Math.floor(data.expiresAt / 1_000) })),
    ["session.expires-at", "session.expires-in-the-future"]
  ],
  [
    "expiresAt in the past",
    ofData((data) => ({ ...data, expiresAt: 1_600_000_000_000 })),
    ["session.expires-in-the-future", "flow.expired"]
  ],
  [
    "no expiresAt in a refresh",
    ofData((data) => ("vaultId" in data ? data : without("expiresAt", data))),
    ["session.expires-at", "session.expires-in-the-future", "refresh.fields"]
  ],
  [
    "an access token that is a number",
    ofData((data, { sent }) => (sent.includes("apiKey") ? { ...data, accessToken: 12_345 } : data)),
    ["session.access-token"]
  ],
  [
    "an empty refresh token",
    ofData((data, { sent }) => (sent.includes("apiKey") ? { ...data, refreshToken: "" } : data)),
    ["session.refresh-token"]
  ],
  ["a refresh that keeps the access token", stuck("accessToken"), ["flow.new-access-token", "flow.refresh-and-repeat"]],
  [
    "a refresh that keeps the refresh token",
    stuck("refreshToken"),
    ["session.refresh-token-rotates", "refresh.replacement"]
  ],
  ["no message in successes", ofSuccess((body) => without("message", body)), ["envelope.message", "generate.message"]],
  ["no status in successes", ofSuccess((body) => without("status", body)), ["envelope.status"]],
  [
    "a list for the vault",
    ({ body, path, status }) =>
      path === "/vaults/details" && status === 200 ? { body: { ...body, data: [] } } : undefined,
    ["envelope.data", "vaults.details"]
  ],
  [
    "HTTP 200 for what is created, and 201 in the envelope",
    (seen) => (isSession(seen) ? { status: 200 } : undefined),
    ["envelope.status", "generate.created", "refresh.created"]
  ],
  [
    "a vault for everybody",
    ({ path, status }) =>
      path === "/vaults/details" && status === 401
        ? { status: 200, body: { message: "Vault details", data: {}, status: 200 } }
        : undefined,
    ["header.required", "code.token-missing", "code.token-invalid"]
  ],
  [
    "an access token wanted to refresh",
    asked(refresh, "", ({ status }) =>
      status === 201
        ? { status: 401, body: { status: 401, message: "m", errors: { message: "m" }, code: "E40001" } }
        : undefined
    ),
    ["header.not-for-auth"]
  ],
  ["no apiKey that is taken", asked(generate, "^{}$", () => taken), ["generate.key-required"]],
  [
    "no code",
    ofError((body) => without("code", body)),
    [
      "generate.invalid-key",
      "generate.key-required",
      "generate.key-not-empty",
      "generate.key-length",
      "generate.key-type",
      "refresh.token-required",
      "refresh.token-type",
      "refresh.invalid-token",
      "refresh.invalidates",
      "flow.expired",
      "error.code",
      "code.malformed",
      "code.token-missing",
      "code.token-invalid"
    ]
  ],
  ["no status in errors", ofError((body) => without("status", body)), ["error.status"]],
  ["no message in errors", ofError((body) => without("message", body)), ["error.message", "error.errors"]],
  ["no errors", ofError((body) => without("errors", body)), ["error.errors", "error.fields"]],
  [
    "text for a field's messages",
    ({ body, sent, status }) =>
      status === 422 && sent.includes("refreshToken")
        ? { body: { ...body, errors: { ...body.errors, refreshToken: "wrong" } } }
        : undefined,
    ["error.fields"]
  ],
  [
    "a code with another status",
    asked(generate, "^{}$", ({ body }) => ({ status: 400, body: { ...body, status: 400 } })),
    ["generate.key-required", "code.status"]
  ],
  [
    "E01401 with another message that says less",
    ({ path, status }) =>
      path === "/vaults/details" && status === 401
        ? { body: { status: 401, message: "no", errors: { message: "no" }, code: "E01401" } }
        : undefined,
    ["code.invalid-access-token-message"]
  ],
  [
    "401 in place of 498",
    ({ body, status }) =>
      status === 498 ? { status: 401, body: { ...body, status: 401, code: "E40001" } } : undefined,
    ["flow.expired"]
  ]
]

describe("conformance", () => {
  it.effect("every statement holds for the emulator in the same process", () =>
    Effect.gen(function* () {
      yield* today
      const report = yield* runToExpiry
      assert.deepStrictEqual(others(report), {
        "code.invalid-access-token-message": "not observable: there were no answers with E01401"
      })
      assert.notProperty(report, "cutShort")
    }).pipe(atEmulator)
  )

  it.effect("every statement holds for the emulator with the other set of codes, and is observable", () =>
    Effect.gen(function* () {
      yield* today
      const { setQuirks } = yield* CustodyEmulator
      yield* setQuirks({
        invalidAccessTokenCode: "E01401",
        invalidRefreshTokenCode: "E40002",
        tokenExpiredCode: "E01403"
      })
      const report = yield* runToExpiry
      assert.deepStrictEqual(others(report), {})
      assert.deepStrictEqual(
        ["codes.access-token", "codes.refresh-token", "codes.expired"].map((id) => answer(report, id)),
        ["E01401", "E40002", "E01403"]
      )
    }).pipe(atEmulator)
  )

  for (const [what, edit, ids] of wrongs) {
    it.effect(`a run reports ${ids.join(", ")} for the deviation "${what}"`, () =>
      Effect.gen(function* () {
        yield* today
        const report = yield* runToExpiry.pipe(edited(edit))
        assert.deepStrictEqual(deviating(report), ids)
      }).pipe(atEmulator)
    )
  }

  it.effect("every statement has a unique id, and a test in which it deviates", () =>
    Effect.gen(function* () {
      const elsewhere = ["header.raw-token", "generate.key-once", "flow.new-access-token-works"]
      const found = new Set([...wrongs.flatMap(([, , ids]) => ids), ...elsewhere])
      const { findings } = yield* run()
      const ids = findings.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.deepStrictEqual(
        ids.filter((id) => !found.has(id)),
        []
      )
    }).pipe(atEmulator)
  )
})

/** A refusal with a code of the specification. */
const refusedWith = (code: string) => ({
  status: 401,
  body: { status: 401, message: "m", errors: { message: "m" }, code }
})

describe("conformance with a session that cannot continue", () => {
  it.effect("a run reports an API key that is accepted twice", () =>
    Effect.gen(function* () {
      yield* today
      const keys = new Set<string>()
      const twice = edited(
        asked(generate, "", ({ sent, status }) => {
          if (status === 201) keys.add(sent)
          else if (keys.has(sent)) return taken
        })
      )
      assert.deepStrictEqual(deviating(yield* run().pipe(twice)), ["generate.key-once"])
    }).pipe(atEmulator)
  )

  it.effect("a run reports a second refresh that fails, and ends early", () =>
    Effect.gen(function* () {
      yield* today
      let refreshes = 0
      const once = edited(
        asked(refresh, "", ({ status }) => (status === 201 && ++refreshes > 1 ? refusedWith("E01402") : undefined))
      )
      const report = yield* run().pipe(once)
      assert.deepStrictEqual(deviating(report), ["refresh.replacement"])
      assert.strictEqual(report.cutShort, "the second refresh token was refused: HTTP 401 E01402")
    }).pipe(atEmulator)
  )

  it.effect("a run reports a refused access token, and still judges the statements that need none", () =>
    Effect.gen(function* () {
      yield* today
      const { setQuirks } = yield* CustodyEmulator
      yield* setQuirks({ accessTokenActivation: "1 hour" })
      const report = yield* run()
      assert.deepStrictEqual(deviating(report), ["header.raw-token", "flow.new-access-token-works"])
    }).pipe(atEmulator)
  )

  it.effect("a run judges the call that it repeats after a 498", () =>
    Effect.gen(function* () {
      yield* today
      let expired = false
      const never = edited(({ status }) => {
        if (status === 498) expired = true
        else if (expired && status === 200) return refusedWith("E40001")
      })
      assert.deepStrictEqual(deviating(yield* runToExpiry.pipe(never)), ["flow.refresh-and-repeat"])
    }).pipe(atEmulator)
  )

  it.effect("a run with a used API key finds no deviation, and ends early", () =>
    Effect.gen(function* () {
      const apiKey = yield* (yield* CustodyEmulator).issueApiKey()
      yield* today
      yield* run({ apiKey })
      const report = yield* run({ apiKey })
      assert.deepStrictEqual(deviating(report), [])
      assert.strictEqual(report.cutShort, "the API key started no session: HTTP 400 E00401")
      const unobserved = report.findings.find(({ id }) => id === "refresh.invalidates")
      assert.strictEqual(unobserved?.seen, "not asked: the API key started no session: HTTP 400 E00401")
    }).pipe(atEmulator)
  )

  it.effect("a run without any answer sends no API key and judges nothing", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const nobody = HttpClient.make((request) => {
        sent.push(`${request.url} ${textOf(request)}`)
        const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" })
        const reason = new HttpClientError.TransportError({ request, cause })
        return Effect.fail(new HttpClientError.HttpClientError({ reason }))
      })
      const report = yield* Conformance.run({ baseUrl: "http://localhost", apiKey: Redacted.make("canary") }).pipe(
        Effect.provideService(HttpClient.HttpClient, nobody)
      )
      assert.deepStrictEqual(sent, ["http://localhost/vaults/details "])
      assert.isTrue(report.findings.every(({ verdict }) => verdict === "not observable"))
      assert.strictEqual(
        report.cutShort,
        "the service cannot be reached: no answer: ECONNREFUSED; the API key was not sent"
      )
    })
  )

  it.effect.each([
    [500, "not observable"],
    [302, "not observable"],
    [404, "not observable"],
    [429, "not observable"],
    [400, "holds"],
    [403, "holds"],
    [422, "holds"]
  ] as const)(
    "a run that gets HTTP %s for a spent key and for no token judges their refusal as: %s",
    ([status, verdict]) =>
      Effect.gen(function* () {
        yield* today
        const keys = new Set<string>()
        const { findings } = yield* run().pipe(
          edited(({ path, sent, status: own, token }) => {
            if (path === generate && own === 201) keys.add(sent)
            else if (keys.has(sent) || (path === "/vaults/details" && token === undefined)) {
              return { status, body: { status, message: "m" } }
            }
          })
        )
        for (const wanted of ["generate.key-once", "header.required"]) {
          assert.strictEqual(findings.find(({ id }) => id === wanted)?.verdict, verdict, wanted)
        }
      }).pipe(atEmulator)
  )

  it.effect("a failure of the service answers no open question about tokens", () =>
    Effect.gen(function* () {
      yield* today
      let refreshes = 0
      let accessToken: unknown
      const oops = { status: 500, body: { status: 500, message: "oops" } }
      const report = yield* run().pipe(
        edited(({ body: own, path, status, token }) => {
          if (path === refresh && status === 201) accessToken = ++refreshes === 1 ? own.data.accessToken : accessToken
          const isOld = token !== undefined && accessToken !== undefined && token !== accessToken
          if ((path === refresh && refreshes === 2 && status === 401) || isOld) return oops
          if (path === "/vaults/details" && status === 401) return oops
        })
      )
      for (const id of ["old-access-token", "reuse-grace", "reuse-revokes", "bearer"]) {
        assert.isUndefined(answer(report, id), id)
      }
    }).pipe(atEmulator)
  )

  it.effect("a run refuses an address that may receive no secret before it sends anything", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run({ baseUrl: "http://custody.example/api/integration" }))
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.strictEqual((yield* (yield* CustodyEmulator).counts).requests, 0)
    }).pipe(atEmulator)
  )
})

describe("the requests of a conformance run", () => {
  it.effect("a run only opens a session, refreshes it and reads the vault", () =>
    Effect.gen(function* () {
      yield* today
      yield* run()
      const emulator = yield* CustodyEmulator
      assert.deepStrictEqual(Object.keys((yield* emulator.counts).byOperation).sort(), [
        "authentication.generateTokens",
        "authentication.refreshToken",
        "vaults.details"
      ])
      assert.deepStrictEqual(
        (yield* emulator.sessions).map(({ generation, revoked }) => ({ generation, revoked })),
        [{ generation: 2, revoked: true }]
      )
    }).pipe(atEmulator)
  )

  it.effect("a run cannot observe the expiry of a long-lived token, and says how to wait for it", () =>
    Effect.gen(function* () {
      yield* today
      const report = yield* run({ awaitExpiry: "50 seconds" })
      assert.strictEqual(
        others(report)["flow.expired"],
        "not observable: the access token lives for 1m more: --await-expiry waits for it"
      )
    }).pipe(atEmulator)
  )

  it.effect("a run answers the open questions by the settings of the emulator", () =>
    Effect.gen(function* () {
      yield* today
      const { setQuirks } = yield* CustodyEmulator
      const one = yield* run()
      assert.match(answer(one, "lifetime")!, /^1m, /)
      assert.strictEqual(answer(one, "old-access-token"), "yes, right after it")
      assert.strictEqual(answer(one, "reuse-grace"), "no: HTTP 401 E01402 0 ms after it was spent")
      assert.match(answer(one, "reuse-revokes")!, /^yes: HTTP 401 E01402 .*refused: HTTP 401 E40001$/)
      assert.strictEqual(answer(one, "bearer"), "no")

      yield* setQuirks({ oldAccessTokenOutlivesRotation: false, reuseRevokesSession: false })
      const other = yield* run()
      assert.strictEqual(answer(other, "old-access-token"), "no: HTTP 401 E40001")
      assert.match(answer(other, "reuse-revokes")!, /^no: the latest refresh token works; .* still accepted$/)

      yield* setQuirks({ refreshReuseGrace: "1 minute" })
      const grace = yield* run()
      assert.deepStrictEqual(deviating(grace), ["refresh.invalidates"])
      assert.strictEqual(answer(grace, "reuse-grace"), "yes: 0 ms after it was spent, with the same tokens again")
      assert.isUndefined(answer(grace, "reuse-revokes"))
    }).pipe(atEmulator)
  )
})

describe("secrets in a conformance report", () => {
  it.effect("the report holds no secret if a server repeats everything in every place and spelling", () =>
    Effect.gen(function* () {
      let issued = 0
      const heard: Array<string> = []
      const babbling = HttpClient.make((request) => {
        const sent = textOf(request)
        heard.push(...Object.values(request.headers), sent)
        const granted = sent.includes("canary") || request.headers["x-access-token"]?.includes("canary") === true
        const tokens = { accessToken: `canary-access-${++issued}-ä"/+`, refreshToken: `canary-refresh-${issued}-ä"/+` }
        if (granted) heard.unshift(...Object.values(tokens))
        const spelt = heard.flatMap((text) => [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)])
        const all = spelt.join(" ")
        const body = granted
          ? { status: 201, message: all, data: { ...tokens, expiresAt: all, [all]: all, vaultId: all } }
          : { status: all, message: all, errors: { message: all, apiKey: [all], [all]: all }, code: all }
        return Effect.succeed(
          HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status: granted ? 201 : 400 }))
        )
      })
      const report = yield* Conformance.run({
        baseUrl: "http://localhost",
        apiKey: Redacted.make(`canary-key-ä"/+`)
      }).pipe(Effect.provideService(HttpClient.HttpClient, babbling))
      assert.notProperty(report, "cutShort")
      const told = JSON.stringify(report)
      assert.include(told, "<redacted>")
      assert.notMatch(told, /canary|Y2FuYXJ5/)
    })
  )

  it.effect.each([
    ["nested deeply", `{"message":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "generate-tokens returned no data"],
    [
      "large",
      JSON.stringify({ message: "x".repeat(2_000_000) }),
      "the API key started no session: its answer is larger than 1048576 bytes"
    ]
  ])("a run returns a report if the answer to the API key is %s", ([, body, cutShort]) =>
    Effect.gen(function* () {
      const key = "unused-key-of-this-vault-0123456789"
      const hostile = HttpClient.make((request) =>
        Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            textOf(request).includes(key) ? new Response(body, { status: 201 }) : new Response("{}", { status: 400 })
          )
        )
      )
      const report = yield* Conformance.run({ baseUrl: "http://localhost", apiKey: Redacted.make(key) }).pipe(
        Effect.provideService(HttpClient.HttpClient, hostile)
      )
      assert.strictEqual(report.cutShort, cutShort)
    })
  )
})

it.effect("the lines of a report have the sections, the observations, the open questions and the totals", () =>
  Effect.gen(function* () {
    yield* today
    const { setQuirks } = yield* CustodyEmulator
    yield* setQuirks({ refreshReuseGrace: "1 minute" })
    const lines = Conformance.lines(yield* run())
    const heading = lines.indexOf("POST /auth/refresh-token")
    assert.strictEqual(lines[heading - 1], "")
    assert.deepStrictEqual(lines.slice(heading + 1, heading + 3), ["  ✓ Success: HTTP 201", "      holds: HTTP 201"])
    assert.include(lines, "      deviates: HTTP 201, not HTTP 401 E01402 or E40002")
    assert.include(lines, "  · Is the old access token still accepted after a refresh?")
    assert.strictEqual(lines.at(-1), "44 statements: 40 hold, 1 deviate, 3 not observable here")
  }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerHttpClient)))
)
