import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Conformance from "@effect-custody/testing/Conformance"
import { Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

type Options = Parameters<typeof Conformance.run>[0]

const run = Effect.fnUntraced(function* (options: Partial<Options> = {}) {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  return yield* Conformance.run({ baseUrl, apiKey: yield* issueApiKey(), ...options })
})

/** A run that waits for the access token to expire, in virtual time that passes only while it waits. */
const runToExpiry = Effect.gen(function* () {
  const apiKey = yield* (yield* CustodyEmulator).issueApiKey()
  const client = yield* HttpClient.HttpClient
  let requests = 0
  let uses = 0
  let lastBeforeTheWait = 0
  const counted = HttpClient.make((request) => {
    requests++
    if (textOf(request).includes(Redacted.value(apiKey)) && ++uses === 2) lastBeforeTheWait = requests
    return client.execute(request)
  })
  const running = yield* run({ apiKey, awaitExpiry: "15 minutes" }).pipe(
    Effect.provideService(HttpClient.HttpClient, counted),
    Effect.forkChild({ startImmediately: true })
  )
  while (running.pollUnsafe() === undefined) {
    yield* TestClock.withLive(Effect.sleep("1 millis"))
    // Less than a request may take: one that is still under way does not time out.
    if (requests === lastBeforeTheWait) yield* TestClock.adjust("8 seconds")
  }
  return yield* Fiber.join(running)
})

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
const taken = (data: object = {}) => ({ status: 201, body: { message: "Tokens were generated", data, status: 201 } })

/** The same access token whatever happens, which the emulator is never asked about. */
const stuck = (name: "accessToken" | "refreshToken"): Edit => {
  let first: unknown
  return ofData((data) => ({ ...data, [name]: (first ??= data[name]) }))
}

/** What may be wrong with a server, and the statements that have to say so: those, and no others. */
const wrongs: ReadonlyArray<readonly [what: string, edit: Edit, ids: ReadonlyArray<string>]> = [
  [
    "vaultId is a string",
    ofData((data) => ({ ...data, ...("vaultId" in data ? { vaultId: "1" } : {}) })),
    ["session.vault-id"]
  ],
  ["no vaultId", ofData((data) => without("vaultId", data)), ["session.vault-id", "generate.fields"]],
  ["vaultId in a refresh", ofData((data) => ({ vaultId: 1, ...data })), ["refresh.no-vault-id"]],
  [
    "expiresAt in seconds",
    ofData((data) => ({ ...data, expiresAt: Math.floor(data.expiresAt / 1_000) })),
    ["session.expires-at", "session.expires-in-the-future"]
  ],
  [
    "expiresAt as a date",
    ofData((data) => ({ ...data, expiresAt: new Date(data.expiresAt).toISOString() })),
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
  [
    "no message in successes",
    ofSuccess((body) => without("message", body)),
    ["envelope.message", "generate.message", "vaults.details"]
  ],
  ["a greeting for a message", ofSuccess((body) => ({ ...body, message: "hello" })), ["generate.message"]],
  ["no status in successes", ofSuccess((body) => without("status", body)), ["envelope.status", "vaults.details"]],
  ["status 0 in successes", ofSuccess((body) => ({ ...body, status: 0 })), ["envelope.status"]],
  [
    "a list for the vault",
    ({ body, path, status }) =>
      path === "/vaults/details" && status === 200 ? { body: { ...body, data: [] } } : undefined,
    ["envelope.data", "vaults.details"]
  ],
  [
    "the vault without an envelope",
    ({ body, path, status }) => (path === "/vaults/details" && status === 200 ? { body: body.data } : undefined),
    ["envelope.message", "envelope.data", "envelope.status", "vaults.details"]
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
  ["an unknown key that is taken", asked(generate, `:"conformance-.{243}"`, () => taken()), ["generate.invalid-key"]],
  ["no apiKey that is taken", asked(generate, "^{}$", () => taken()), ["generate.key-required"]],
  [
    "an empty apiKey that is told to be invalid",
    asked(generate, `:""`, ({ body }) => ({ status: 400, body: { ...body, status: 400, code: "E00401" } })),
    ["generate.key-not-empty"]
  ],
  [
    "a number for an apiKey that is taken",
    asked(generate, ":12345", () => taken()),
    ["generate.key-type", "error.must-be-a-string"]
  ],
  [
    "no refresh token that is told to be invalid",
    asked(refresh, "^{}$", ({ body }) => ({ status: 401, body: { ...body, status: 401, code: "E01402" } })),
    ["refresh.token-required"]
  ],
  [
    "a number for a refresh token that is a server error",
    asked(refresh, ":12345", ({ body }) => ({ status: 500, body: { ...body, status: 500, code: "E50000" } })),
    ["refresh.token-type"]
  ],
  ["an unknown refresh token that is taken", asked(refresh, `"conformance-`, () => taken()), ["refresh.invalid-token"]],
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
  ["another status in errors", ofError((body) => ({ ...body, status: 500 })), ["error.status"]],
  ["no message in errors", ofError((body) => without("message", body)), ["error.message", "error.errors"]],
  [
    "no errors",
    ofError((body) => without("errors", body)),
    ["error.errors", "error.fields", "error.must-be-a-string", "error.must-not-exceed", "error.should-not-be-empty"]
  ],
  [
    "another summary in errors",
    ofError((body) => ({ ...body, errors: { ...body.errors, message: "another" } })),
    ["error.errors"]
  ],
  [
    "text for a field's messages",
    ({ body, sent, status }) =>
      status === 422 && sent.includes("refreshToken")
        ? { body: { ...body, errors: { ...body.errors, refreshToken: "wrong" } } }
        : undefined,
    ["error.fields"]
  ],
  [
    "other words for what is too long",
    asked(generate, "conformance-.{244,}", ({ body, status }) =>
      status === 422 ? { body: { ...body, errors: { ...body.errors, apiKey: ["too long"] } } } : undefined
    ),
    ["error.must-not-exceed"]
  ],
  [
    "a code with another status",
    asked(generate, "^{}$", ({ body }) => ({ status: 400, body: { ...body, status: 400 } })),
    ["generate.key-required", "code.status"]
  ],
  [
    "E01401 with another message",
    ({ body, path, status }) =>
      path === "/vaults/details" && status === 401 ? { body: { ...body, code: "E01401" } } : undefined,
    []
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
  ],
  [
    "an expired token that is accepted",
    ({ status }) =>
      status === 498 ? { status: 200, body: { message: "Vault details", data: {}, status: 200 } } : undefined,
    ["flow.expired"]
  ],
  [
    "errors that are pages",
    ofError(() => "<html></html>"),
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
      "error.status",
      "error.message",
      "error.errors",
      "error.fields",
      "error.code",
      "error.must-be-a-string",
      "error.must-not-exceed",
      "error.should-not-be-empty",
      "code.malformed",
      "code.token-missing",
      "code.token-invalid"
    ]
  ]
]

describe("conformance", () => {
  it.effect("everything holds of the emulator, in process", () =>
    Effect.gen(function* () {
      yield* today
      const report = yield* runToExpiry
      assert.deepStrictEqual(others(report), {
        "code.invalid-access-token-message": "not observable: there were no answers with E01401"
      })
      assert.notProperty(report, "cutShort")
    }).pipe(atEmulator)
  )

  it.effect("everything holds with the other code set too, and is observable then", () =>
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

  it("every statement names its section, and has an id of its own", () => {
    assert.strictEqual(new Set(Conformance.statements.map(({ id }) => id)).size, Conformance.statements.length)
    for (const { id, section, text } of Conformance.statements) {
      assert.match(id, /^[a-z]+(?:\.[a-z]+(?:-[a-z]+)*)$/)
      assert.isAbove(section.length, 0)
      assert.isAbove(text.length, 0)
    }
  })

  for (const [what, edit, ids] of wrongs) {
    it.effect(`${what}: ${ids.length === 0 ? "nothing deviates" : ids.join(", ")}`, () =>
      Effect.gen(function* () {
        yield* today
        const report = yield* runToExpiry.pipe(edited(edit))
        assert.deepStrictEqual(deviating(report), ids)
      }).pipe(atEmulator)
    )
  }

  it("every statement is one that can deviate", () => {
    const elsewhere = [
      // Planted behind sockets, or with the emulator's quirks.
      "header.raw-token",
      "generate.key-once",
      "flow.new-access-token-works"
    ]
    const found = new Set([...wrongs.flatMap(([, , ids]) => ids), ...elsewhere])
    assert.deepStrictEqual(
      Conformance.statements.map(({ id }) => id).filter((id) => !found.has(id)),
      []
    )
  })
})

describe("a session that does not go on", () => {
  it.effect("a key that is taken twice is reported", () =>
    Effect.gen(function* () {
      yield* today
      const keys = new Set<string>()
      const twice = edited(
        asked(generate, "", ({ sent, status }) => {
          if (status === 201) keys.add(sent)
          else if (keys.has(sent)) return taken()
        })
      )
      assert.deepStrictEqual(deviating(yield* run().pipe(twice)), ["generate.key-once"])
    }).pipe(atEmulator)
  )

  it.effect("a refresh token that cannot be refreshed in its turn is reported, and cuts the run short", () =>
    Effect.gen(function* () {
      yield* today
      let refreshes = 0
      const once = edited(
        asked(refresh, "", ({ status }) =>
          status === 201 && ++refreshes > 1
            ? { status: 401, body: { status: 401, message: "m", errors: { message: "m" }, code: "E01402" } }
            : undefined
        )
      )
      const report = yield* run().pipe(once)
      assert.deepStrictEqual(deviating(report), ["refresh.replacement"])
      assert.strictEqual(report.cutShort, "the second refresh token was refused: HTTP 401 E01402")
    }).pipe(atEmulator)
  )

  it.effect("an access token that is not accepted is reported, and what needs none is judged all the same", () =>
    Effect.gen(function* () {
      yield* today
      const { setQuirks } = yield* CustodyEmulator
      yield* setQuirks({ accessTokenActivation: "1 hour" })
      const report = yield* run()
      assert.deepStrictEqual(deviating(report), ["header.raw-token", "flow.new-access-token-works"])
    }).pipe(atEmulator)
  )

  it.effect("after a 498 the repeated call is judged", () =>
    Effect.gen(function* () {
      yield* today
      let expired = false
      const never = edited(({ status }) => {
        if (status === 498) expired = true
        else if (expired && status === 200) {
          return { status: 401, body: { status: 401, message: "m", errors: { message: "m" }, code: "E40001" } }
        }
      })
      assert.deepStrictEqual(deviating(yield* runToExpiry.pipe(never)), ["flow.refresh-and-repeat"])
    }).pipe(atEmulator)
  )

  it.effect("a key that was used before deviates from nothing, and cuts the run short", () =>
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

  it.effect("where nobody answers the key is not sent, and nothing is judged", () =>
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

  it.effect("an overloaded server is not judged by what it could not answer", () =>
    Effect.gen(function* () {
      yield* today
      const busy = edited(asked(generate, "^{}$", () => ({ status: 429, body: { status: 429, message: "wait" } })))
      const report = yield* run().pipe(busy)
      assert.deepStrictEqual(deviating(report), [])
      assert.strictEqual(others(report)["generate.key-required"], "not observable: HTTP 429")
    }).pipe(atEmulator)
  )

  /** Answers that refuse nothing of what was asked. */
  const saysNothing: ReadonlyArray<readonly [status: number, body: unknown]> = [
    [500, { status: 500, message: "oops" }],
    [302, ""],
    [404, { status: 404, message: "Cannot GET" }],
    [405, { status: 405, message: "not so" }],
    [429, { status: 429, message: "wait" }]
  ]

  for (const [status, body] of saysNothing) {
    it.effect(`HTTP ${status} confirms neither that a key is one-time nor that a token is required`, () =>
      Effect.gen(function* () {
        yield* today
        const keys = new Set<string>()
        const report = yield* run().pipe(
          edited(({ path, sent, status: own, token }) => {
            if (path === generate && own === 201) keys.add(sent)
            else if (keys.has(sent) || (path === "/vaults/details" && token === undefined)) return { status, body }
          })
        )
        assert.strictEqual(others(report)["generate.key-once"]?.split(",")[0], `not observable: HTTP ${status}`)
        assert.match(others(report)["header.required"]!, new RegExp(`^not observable: HTTP ${status}`))
      }).pipe(atEmulator)
    )

    it.effect(`HTTP ${status} tells nothing of old tokens, spent ones, and other forms of a token`, () =>
      Effect.gen(function* () {
        yield* today
        let refreshes = 0
        let accessToken: unknown
        const report = yield* run().pipe(
          edited(({ body: own, path, status: before, token }) => {
            if (path === refresh && before === 201) accessToken = ++refreshes === 1 ? own.data.accessToken : accessToken
            const isOld = token !== undefined && accessToken !== undefined && token !== accessToken
            if ((path === refresh && refreshes === 2 && before === 401) || isOld) return { status, body }
            if (path === "/vaults/details" && before === 401) return { status, body }
          })
        )
        for (const id of ["old-access-token", "reuse-grace", "reuse-revokes", "bearer"]) {
          assert.isUndefined(answer(report, id), id)
        }
      }).pipe(atEmulator)
    )
  }

  for (const status of [400, 401, 403, 409, 422]) {
    it.effect(`HTTP ${status} is a refusal of a key that was used`, () =>
      Effect.gen(function* () {
        yield* today
        const keys = new Set<string>()
        const report = yield* run().pipe(
          edited(({ path, sent, status: own }) => {
            if (path === generate && own === 201) keys.add(sent)
            else if (keys.has(sent)) return { status, body: { status, message: "used" } }
          })
        )
        assert.notProperty(others(report), "generate.key-once")
      }).pipe(atEmulator)
    )
  }

  it.effect("an address that no secret may be sent to is refused before anything is", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run({ baseUrl: "http://custody.example/api/integration" }))
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.strictEqual((yield* (yield* CustodyEmulator).counts).requests, 0)
    }).pipe(atEmulator)
  )
})

describe("what a run does", () => {
  it.effect("it opens a session, refreshes it and reads the vault: nothing else", () =>
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

  it.effect("keepSession leaves out the reuse of a token, and says so", () =>
    Effect.gen(function* () {
      yield* today
      const report = yield* run({ keepSession: true })
      assert.deepStrictEqual(deviating(report), [])
      assert.match(
        others(report)["refresh.invalidates"]!,
        /^not observable: --keep-session: .* can revoke the session$/
      )
      assert.isUndefined(answer(report, "reuse-revokes"))
      const [session] = yield* (yield* CustodyEmulator).sessions
      assert.deepInclude(session, { generation: 2, revoked: false })
    }).pipe(atEmulator)
  )

  it.effect("a token that lives longer than one waits is not observable, and says how to wait", () =>
    Effect.gen(function* () {
      yield* today
      const report = yield* run({ awaitExpiry: "50 seconds" })
      assert.strictEqual(
        others(report)["flow.expired"],
        "not observable: the access token lives for 1m more: --await-expiry waits for it"
      )
    }).pipe(atEmulator)
  )
})

describe("what the specification does not show", () => {
  it.effect("is answered as the emulator is set", () =>
    Effect.gen(function* () {
      yield* today
      const { setQuirks } = yield* CustodyEmulator
      const one = yield* run()
      assert.match(answer(one, "lifetime")!, /^1m, /)
      assert.strictEqual(answer(one, "old-access-token"), "yes, right after it")
      assert.strictEqual(answer(one, "reuse-grace"), "no: HTTP 401 E01402 0 ms after it was spent")
      assert.match(answer(one, "reuse-revokes")!, /^yes: HTTP 401 E01402 .*refused: HTTP 401 E40001$/)
      assert.strictEqual(answer(one, "key-again"), "HTTP 400 E00401")
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

  it.effect("fields of the vault are named with their types, never with what they hold", () =>
    Effect.gen(function* () {
      yield* today
      const data = { id: 7, name: "Treasury", balance: "1000000.01", assets: [{ symbol: "BTC", balance: 3.5 }] }
      const report = yield* run().pipe(
        edited(({ body, path, status }) =>
          path === "/vaults/details" && status === 200 ? { body: { ...body, data } } : undefined
        )
      )
      assert.strictEqual(
        answer(report, "vault-fields"),
        `"id" an integer, "name" a string, "balance" a string, "assets" an array`
      )
      assert.strictEqual(answer(report, "amounts"), `"balance" string, "assets[].balance" number`)
      for (const held of ["Treasury", "1000000", "BTC", "3.5"]) assert.notInclude(JSON.stringify(report), held)
    }).pipe(atEmulator)
  )
})

describe("secrets", () => {
  /** Gives back all that it was sent, and its own tokens, wherever there is room for text. */
  const babbling = () => {
    let issued = 0
    const heard: Array<string> = []
    return HttpClient.make((request) => {
      const sent = textOf(request)
      heard.push(...Object.values(request.headers), sent)
      const granted = sent.includes("canary") || request.headers["x-access-token"]?.includes("canary") === true
      const tokens = { accessToken: `canary-access-${++issued}-ä"/+`, refreshToken: `canary-refresh-${issued}-ä"/+` }
      if (granted) heard.unshift(...Object.values(tokens), encodeURIComponent(tokens.refreshToken))
      const all = heard.join(" ")
      const status = granted ? 201 : 400
      const body = granted
        ? { status, message: all, data: { ...tokens, expiresAt: all, [all]: all, amount: all, vaultId: all } }
        : { status: all, message: all, errors: { message: all, apiKey: [all], [all]: all }, code: all }
      const told = encodeURIComponent(heard[0]!)
      const headers = { "x-version": told, "x-ratelimit-limit": told }
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status, headers }))
      )
    })
  }

  it.effect("none is in the report of a server that gives back all that it hears", () =>
    Effect.gen(function* () {
      const report = yield* Conformance.run({
        baseUrl: "http://localhost",
        apiKey: Redacted.make(`canary-key-ä"/+`)
      }).pipe(Effect.provideService(HttpClient.HttpClient, babbling()))
      const json = yield* Schema.encodeEffect(Schema.fromJsonString(Conformance.Report))(report)
      const text = Conformance.lines(report).join("\n")
      assert.notProperty(report, "cutShort")
      assert.include(text, "‹access token")
      for (const told of [json, text]) assert.notMatch(told, /canary/)
    })
  )

  it.effect("none is in a report in base64, in hexadecimal or in another letter case, nor is a code whole", () =>
    Effect.gen(function* () {
      const key = "unused-key-of-this-vault-0123456789"
      const later = "access-token-of-a-later-answer-9876543210"
      const spelt = (text: string) => [btoa(text), Buffer.from(text).toString("hex"), text.toUpperCase()]
      const all = [...spelt(key), ...spelt(later)]
      const code = `E${all.join("-")}${"x".repeat(1_000)}`
      const echo = HttpClient.make((request) => {
        const isStart = textOf(request).includes(key)
        const fields = Object.fromEntries(all.map((each) => [each, "1"]))
        const data = { accessToken: later, refreshToken: "refresh-token", ...fields }
        const body = isStart ? { status: 201, message: all[0], data } : { code, message: all[1], errors: fields }
        const headers = Object.fromEntries(all.map((each, at) => [`x-version-${at}`, each]))
        return Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(JSON.stringify(body), { status: isStart ? 201 : 401, headers })
          )
        )
      })
      const report = yield* Conformance.run({ baseUrl: "http://localhost", apiKey: Redacted.make(key) }).pipe(
        Effect.provideService(HttpClient.HttpClient, echo)
      )
      const told = JSON.stringify(report)
      for (const secret of all) assert.notInclude(told, secret)
      assert.include(told, "<redacted>")
      assert.notInclude(told, "x".repeat(101))
    })
  )

  it.effect("tokens that look like the names of their fields change no verdict, and an early token is hidden", () =>
    Effect.gen(function* () {
      yield* today
      let issued = 0
      const tokens = () => ({
        accessToken: `accessTokenACCESSTOKEN-${++issued}`,
        refreshToken: `refreshTokenREFRESHTOKEN-${issued}`
      })
      const early = btoa("accessTokenACCESSTOKEN-1")
      const tokenServer = HttpClient.make((request) => {
        const isGranted = textOf(request).includes("TOKEN-") || textOf(request).includes("unused-key")
        const data = { ...tokens(), expiresAt: 1_770_000_900_000, vaultId: 1 }
        const body = isGranted
          ? { status: 201, message: "generated", data }
          : { status: 400, code: early, message: early, errors: {} }
        return Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(JSON.stringify(body), { status: isGranted ? 201 : 400, headers: { "x-version": early } })
          )
        )
      })
      const apiKey = Redacted.make("unused-key-of-this-vault")
      const report = yield* Conformance.run({ baseUrl: "http://localhost", apiKey }).pipe(
        Effect.provideService(HttpClient.HttpClient, tokenServer)
      )
      const verdicts = Object.fromEntries(report.findings.map(({ id, verdict }) => [id, verdict]))
      assert.deepInclude(verdicts, { "session.refresh-token": "holds", "generate.fields": "holds" })
      assert.notInclude(JSON.stringify(report), early)
    })
  )

  it.effect.each([
    ["nested too deeply", `{"message":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "is nested deeper than 64 levels"],
    ["too large", JSON.stringify({ message: "x".repeat(2_000_000) }), "is larger than 1048576 bytes"]
  ])("there is a report of a server whose answer to the key is %s", ([, body, said]) =>
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
      assert.strictEqual(report.cutShort, `the API key started no session: its answer ${said}`)
    })
  )

  it.effect("none of the emulator's is in a report either", () =>
    Effect.gen(function* () {
      yield* today
      const secrets: Array<string> = []
      const apiKey = yield* (yield* CustodyEmulator).issueApiKey()
      const report = yield* run({ apiKey }).pipe(
        edited((seen) => {
          if (isSession(seen)) secrets.push(seen.body.data.accessToken, seen.body.data.refreshToken)
        })
      )
      assert.strictEqual(secrets.length, 6)
      const told = JSON.stringify(report) + Conformance.lines(report).join("\n")
      for (const secret of [...secrets, Redacted.value(apiKey)]) assert.notInclude(told, secret)
    }).pipe(atEmulator)
  )
})

describe("a report in lines", () => {
  it.effect("has a heading for each section, what was seen, the open questions, and the sum", () =>
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
      assert.strictEqual(lines.at(-1), "47 statements: 43 hold, 1 deviate, 3 not observable here")
    }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerHttpClient)))
  )
})
