/** Authentication, events, errors, limits and versioning. */
import { Authentication, TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import {
  catchCode,
  Clients,
  CustodyApi,
  CustodyClient,
  Environment,
  Page,
  TokenService,
  Transactions,
  Vaults
} from "@effect-custody/sdk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { failure, success } from "./service.ts"
import { Api, clientOf, type Section, type Statement, Specified } from "./statement.ts"

const claimsNothing = "nothing: the SDK claims nothing"

/** Lets the access token expire, and calls once more. */
const afterExpiry = Effect.gen(function* () {
  const service = yield* Specified
  yield* Vaults.details()
  service.expire()
  yield* Vaults.details()
  return service
})

const model: ReadonlyArray<Statement> = [
  {
    says: "The accessToken authenticates API requests.",
    where: "core call",
    sdk: Vaults.details(),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      assert.strictEqual((yield* api.call("GET", "/vaults/details", { token: "none" })).status, 401)
      assert.strictEqual((yield* api.as("GET", "/vaults/details")).status, 200)
    })
  },
  {
    says: "The accessToken is short-lived; expiry is given by expiresAt.",
    where: "authentication sessionState",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.isTrue(Option.isSome((yield* (yield* TokenService).status).expiresAt))
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { expireTokens } = yield* CustodyEmulator
      const { accessToken } = yield* api.start
      yield* expireTokens
      assert.strictEqual((yield* api.call("GET", "/vaults/details", { token: accessToken })).status, 498)
    })
  },
  {
    says: "The refreshToken obtains a new access token.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* afterExpiry
      const [first, second] = service.to("/vaults/details").filter((_, nth) => nth !== 1)
      assert.notStrictEqual(first?.headers["x-access-token"], second?.headers["x-access-token"])
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { refreshToken } = yield* api.start
      const { body } = yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken } })
      const { accessToken } = body.data
      assert.strictEqual((yield* api.call("GET", "/vaults/details", { token: accessToken })).status, 200)
    })
  },
  {
    says: "The refreshToken rotates on each use.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* afterExpiry
      service.expire()
      yield* Vaults.details()
      const sent = service.to("/auth/refresh-token").map(({ body }) => body.refreshToken)
      assert.deepStrictEqual(sent, ["refresh-0", "refresh-1"])
    })
  },
  {
    says: "The refreshToken is carried in the body of POST /auth/refresh-token.",
    where: "authentication tokenEndpoint",
    sdk: Effect.gen(function* () {
      const service = yield* afterExpiry
      assert.deepStrictEqual(service.to("/auth/refresh-token")[0]?.body, { refreshToken: "refresh-0" })
    })
  }
]

const flow: ReadonlyArray<Statement> = [
  {
    says: "1. Call POST /auth/generate-tokens with the one-time API key to get the first token pair.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.deepStrictEqual(
        (yield* Specified).received.map(({ path }) => path),
        ["/auth/generate-tokens", "/vaults/details"]
      )
    })
  },
  {
    says: "2. Send the access token in X-ACCESS-TOKEN on every other call, raw, with no prefix.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ items: [] })
      yield* Clients.list()
      yield* Transactions.list()
      for (const { headers } of service.received.slice(1)) assert.strictEqual(headers["x-access-token"], "access-0")
    })
  },
  {
    says: "3. When a call returns HTTP 498, call POST /auth/refresh-token with the latest refresh token.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* afterExpiry
      assert.strictEqual(service.to("/auth/refresh-token").length, 1)
    })
  },
  {
    says: "3. Store the new refresh token from the response.",
    where: "authentication recordStore",
    sdk: Effect.gen(function* () {
      // A second process with the same store uses the tokens that the first one stored.
      const service = yield* Specified
      const store = Layer.succeedContext(yield* Layer.build(TokenStore.layerMemory))
      const calls = Effect.gen(function* () {
        yield* Vaults.details()
        service.expire()
        yield* Vaults.details()
      })
      yield* Effect.provide(calls, clientOf(service, {}, store))
      const before = service.received.length
      yield* Effect.provide(Vaults.details(), clientOf(service, {}, store))
      assert.deepStrictEqual(
        service.received.slice(before).map(({ headers, path }) => [path, headers["x-access-token"]]),
        [["/vaults/details", "access-1"]]
      )
    }).pipe(Effect.scoped)
  },
  {
    says: "3. Repeat the original call with the new access token.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ externalId: "alice" }, 201)
      yield* Vaults.details()
      service.expire()
      yield* Clients.create({ externalId: "alice" })
      const calls = service.to("/clients/create")
      assert.deepStrictEqual(
        calls.map(({ headers }) => headers["x-access-token"]),
        ["access-0", "access-1"]
      )
      assert.strictEqual(calls[0]?.text, calls[1]?.text)
    })
  },
  {
    says: "4. When the refresh call fails with an invalid refresh token, obtain a new API key and start a new session from step 1.",
    where: "authentication decide",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      service.expire()
      service.nextAnswers.push(failure(498, "E01403", "Token has expired"), failure(401, "E01402", "Invalid"))
      assert.strictEqual((yield* Effect.flip(Vaults.details()))._tag, "SessionLost")
      assert.strictEqual((yield* (yield* TokenService).status).state, "lost")
      yield* (yield* TokenService).start(Redacted.make(service.issueKey("a-new-key")))
      yield* Vaults.details()
      assert.strictEqual(service.to("/auth/generate-tokens").length, 2)
    })
  }
]

const rules: ReadonlyArray<Statement> = [
  {
    says: "Persist the newest refresh token immediately after each refresh.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      /** Which refresh token a write stored, and how many requests the service had received by then. */
      const writes: Array<readonly [refreshToken: string, requests: number]> = []
      const recording = Layer.effect(
        TokenStore,
        Effect.map(TokenStore, (memory) =>
          TokenStore.of({
            load: memory.load,
            compareAndSwap: (identity, version, record) =>
              Effect.tap(memory.compareAndSwap(identity, version, record), () => {
                if (record.session === undefined) return Effect.void
                writes.push([Redacted.value(record.session.refreshToken), service.received.length])
                return Effect.void
              })
          })
        )
      ).pipe(Layer.provide(TokenStore.layerMemory))
      yield* Effect.gen(function* () {
        yield* Vaults.details()
        service.expire()
        yield* Vaults.details()
      }).pipe(Effect.provide(clientOf(service, {}, recording)))
      const stored = writes.find(([token]) => token === "refresh-1")?.[1]
      const used = service.received.findIndex(({ headers }) => headers["x-access-token"] === "access-1")
      assert.isDefined(stored)
      assert.isAtMost(stored!, used)
    })
  },
  {
    says: "Make refresh a single-flight operation.",
    where: "authentication TokenService",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      service.expire()
      yield* Effect.all(
        Array.from({ length: 50 }, () => Vaults.details()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(service.to("/auth/refresh-token").length, 1)
    })
  },
  {
    says: "Concurrent refreshes can reuse an old refresh token and revoke the session.",
    where: "authentication TokenService",
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { refreshToken } = yield* api.start
      const refresh = api.call("POST", "/auth/refresh-token", { json: { refreshToken } })
      const answers = yield* Effect.all([refresh, refresh], { concurrency: "unbounded" })
      assert.sameMembers(
        answers.map(({ status }) => status),
        [201, 401]
      )
    })
  },
  {
    says: "A refresh-token-invalid error (E01402) indicates that a refresh token was reused.",
    where: "core SessionError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      service.expire()
      service.nextAnswers.push(failure(498, "E01403", "Token has expired"), failure(401, "E01402", "Invalid"))
      const error = yield* Effect.flip(Vaults.details())
      assert.strictEqual(error._tag, "SessionLost")
    })
  },
  {
    says: "Keep tokens and the API key out of client-side applications.",
    where: "sdk Custody",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      const scope = globalThis as { window?: unknown; document?: unknown }
      scope.window = scope.document = {}
      const organization = { subdomain: "acme", host: "custody.example" }
      const exit = yield* Effect.exit(
        Effect.provide(Vaults.details(), clientOf(service, { environment: Environment.production(organization) }))
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            delete scope.window
            delete scope.document
          })
        )
      )
      assert.include(JSON.stringify(exit), "browser")
      assert.strictEqual(service.received.length, 0)
    })
  }
]

const events: ReadonlyArray<Statement> = [
  {
    says: "Events (webhooks or notifications, their kinds and payloads) are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() =>
      assert.isFalse(CustodyApi.operations.some(({ operation }) => /webhook|event/i.test(operation)))
    )
  }
]

/** A call to an endpoint that answers with this error. */
const refusedWith = (status: number, code: string, message = "No", fields: object = {}) =>
  Effect.gen(function* () {
    const service = yield* Specified
    service.others = () => failure(status, code, message, fields)
    return yield* Effect.flip(Clients.get({ externalId: "alice" }))
  })

const body: ReadonlyArray<Statement> = [
  {
    says: "status is the HTTP status code.",
    where: "core Answer",
    sdk: Effect.gen(function* () {
      assert.deepInclude(yield* refusedWith(404, "E99404"), { status: 404 })
    }),
    emulator: Effect.gen(function* () {
      const { body: answer, status } = yield* (yield* Api).as("GET", "/clients/nobody")
      assert.strictEqual(answer.status, status)
    })
  },
  {
    says: "message is a human-readable summary.",
    where: "core Answer",
    sdk: Effect.gen(function* () {
      assert.deepInclude(yield* refusedWith(400, "E99400", "The reason"), { summary: "The reason" })
    }),
    emulator: Effect.gen(function* () {
      assert.isNotEmpty((yield* (yield* Api).as("GET", "/clients/nobody")).body.message)
    })
  },
  {
    says: "errors holds message (same summary repeated).",
    where: "core Answer",
    sdk: Effect.gen(function* () {
      const error = yield* refusedWith(400, "E99400", "The reason")
      assert.deepInclude((error as any).errors, { message: "The reason" })
    }),
    emulator: Effect.gen(function* () {
      const { body: answer } = yield* (yield* Api).as("GET", "/clients/nobody")
      assert.strictEqual(answer.errors.message, answer.message)
    })
  },
  {
    says: "On validation errors (422), errors also holds one key per offending field, whose value is an array of validation message strings.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const error = yield* refusedWith(422, "E99422", "No", { name: ["is too long", "is not a name"] })
      assert.deepInclude((error as any).errors, { name: ["is too long", "is not a name"] })
    }),
    emulator: Effect.gen(function* () {
      const { body: answer, status } = yield* (yield* Api).as("POST", "/clients/create", {})
      assert.strictEqual(status, 422)
      assert.isArray(answer.errors.externalId)
    })
  },
  {
    says: "code is a machine-readable error code, format E followed by five digits.",
    where: "core Answer",
    sdk: Effect.gen(function* () {
      assert.deepInclude(yield* refusedWith(400, "E12345"), { code: "E12345" })
    }),
    emulator: Effect.gen(function* () {
      const { body: answer } = yield* (yield* Api).as("GET", "/clients/nobody")
      assert.match(answer.code, /^E\d{5}$/)
    })
  },
  {
    says: "Clients should branch on code, not on the HTTP status alone.",
    where: "core Answer",
    sdk: Effect.gen(function* () {
      // The code decides, also under another status; a 422 with a code that nobody knows is no validation error.
      assert.strictEqual((yield* refusedWith(422, "E40000"))._tag, "BadRequest")
      assert.notStrictEqual((yield* refusedWith(422, "E77777"))._tag, "ValidationFailed")
      const handled = yield* Effect.gen(function* () {
        const service = yield* Specified
        service.others = () => failure(400, "E40000", "Malformed")
        return yield* Clients.get({ externalId: "alice" }).pipe(catchCode("E40000", () => Effect.succeed("by code")))
      })
      assert.strictEqual(handled, "by code")
    })
  }
]

/** Codes, statuses and meanings, as the specification lists them. */
const codes: ReadonlyArray<readonly [code: string, status: number, meaning: string, tag: string]> = [
  ["E00401", 400, "Invalid API key", "InvalidApiKey"],
  ["E00402", 422, "Validation error, such as a missing or malformed field", "ValidationFailed"],
  ["E01401", 401, "Invalid access token", "InvalidAccessToken"],
  ["E01402", 401, "Invalid refresh token, or refresh token no longer valid", "InvalidRefreshToken"],
  ["E01403", 498, "Token has expired", "TokenExpired"],
  ["E40000", 400, "Bad request: the body or query parameters are malformed", "BadRequest"],
  ["E40001", 401, "Invalid access token; the X-ACCESS-TOKEN header is missing or invalid", "InvalidAccessToken"],
  ["E40002", 401, "Invalid refresh token", "InvalidRefreshToken"],
  ["E40003", 498, "Token has expired", "TokenExpired"]
]

const codeStatements: ReadonlyArray<Statement> = codes.map(([code, status, meaning, tag]) => ({
  says: `${code} (HTTP ${status}): ${meaning}.`,
  where: "core ApiError",
  sdk: Effect.gen(function* () {
    const service = yield* Specified
    const answer = failure(status, code, meaning)
    // By the endpoint that is about it: the exchange of a key for errors of a key, and of a refresh token for its own.
    const call: Effect.Effect<unknown, { readonly _tag: string }, CustodyClient> =
      tag === "InvalidApiKey" || tag === "ValidationFailed"
        ? Authentication.generateTokens({ apiKey: Redacted.make("a-key") })
        : Authentication.refreshToken({ refreshToken: Redacted.make("a-token") })
    service.nextAnswers.push(answer)
    const error = yield* Effect.flip(call)
    assert.strictEqual(error._tag, tag)
    assert.deepInclude(error as object, { code, status })
  }),
  emulator: Effect.gen(function* () {
    const api = yield* Api
    const { expireTokens } = yield* CustodyEmulator
    const seen = yield* Effect.gen(function* () {
      if (tag === "InvalidApiKey") return yield* api.call("POST", "/auth/generate-tokens", { json: { apiKey: "none" } })
      if (tag === "ValidationFailed") return yield* api.call("POST", "/auth/generate-tokens", { json: {} })
      if (tag === "InvalidRefreshToken") {
        return yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken: "none" } })
      }
      if (tag === "TokenExpired") {
        const { accessToken } = yield* api.start
        yield* expireTokens
        return yield* api.call("GET", "/vaults/details", { token: accessToken })
      }
      if (tag === "BadRequest") return yield* api.call("POST", "/auth/generate-tokens", { text: "{" })
      return yield* api.call("GET", "/vaults/details", { token: "none" })
    })
    assert.strictEqual(seen.status, status)
    const same = codes.filter(([, , , other]) => other === tag).map(([one]) => one)
    assert.include(same, seen.body.code)
  })
}))

const notes: ReadonlyArray<Statement> = [
  ...(
    [
      ["invalid access token", "InvalidAccessToken", ["E01401", "E40001"]],
      ["invalid refresh token", "InvalidRefreshToken", ["E01402", "E40002"]],
      ["expired token", "TokenExpired", ["E01403", "E40003"]]
    ] as const
  ).map(([condition, tag, both]): Statement => ({
    says: `The same condition appears under both code sets: ${condition}.`,
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      for (const code of both) {
        const status = codes.find(([one]) => one === code)![1]
        service.nextAnswers.push(failure(status, code, "No"))
        const error = yield* Effect.flip(Authentication.refreshToken({ refreshToken: Redacted.make("a-token") }))
        assert.strictEqual(error._tag, tag)
      }
    })
  })),
  {
    says: "Which set a given response carries is not shown.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.codes = "common"
      yield* Vaults.details()
      service.expire()
      yield* Vaults.details()
      assert.strictEqual(service.to("/auth/refresh-token").length, 1)
    })
  },
  {
    says: "Individual endpoints also return their own 400, 404 and 422 errors with endpoint-specific codes.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      assert.strictEqual((yield* refusedWith(404, "E99404"))._tag, "NotFound")
      for (const [status, code] of [
        [400, "E99400"],
        [422, "E99422"]
      ] as const) {
        assert.deepInclude(yield* refusedWith(status, code), { status, code })
      }
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      assert.strictEqual((yield* api.as("GET", "/clients/nobody")).status, 404)
      yield* api.as("POST", "/clients/create", { externalId: "alice" })
      assert.include([400, 422], (yield* api.as("POST", "/clients/create", { externalId: "alice" })).status)
    })
  },
  {
    says: "Those codes and conditions are not shown.",
    where: claimsNothing,
    sdk: Effect.gen(function* () {
      assert.deepInclude(yield* refusedWith(400, "E87654", "Anything"), { code: "E87654", summary: "Anything" })
    })
  },
  ...(
    [
      ["must be a string", { apiKey: 1 }],
      ["must not exceed 255 characters", { apiKey: "k".repeat(256) }],
      ["should not be empty", { apiKey: "" }]
    ] as const
  ).map(([text, json]): Statement => ({
    says: `Validation example: a 422 for apiKey has errors.apiKey as an array of messages such as ${text}.`,
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.nextAnswers.push(failure(422, "E00402", "Validation failed", { apiKey: [text] }))
      const error = yield* Effect.flip(Authentication.generateTokens({ apiKey: Redacted.make("a-key") }))
      assert.deepStrictEqual(error._tag === "ValidationFailed" ? error.fields : error, { apiKey: [text] })
    }),
    emulator: Effect.gen(function* () {
      const { body: answer, status } = yield* (yield* Api).call("POST", "/auth/generate-tokens", { json })
      assert.strictEqual(status, 422)
      assert.isArray(answer.errors.apiKey)
      assert.include(answer.errors.apiKey.join(" "), text)
    })
  }))
]

const limits: ReadonlyArray<Statement> = [
  {
    says: "apiKey length: at most 255 characters.",
    where: "authentication secrets",
    sdk: Effect.gen(function* () {
      const error = yield* Effect.flip(Authentication.generateTokens({ apiKey: Redacted.make("k".repeat(256)) }))
      assert.strictEqual(error._tag, "InputInvalid")
      const service = yield* Specified
      const longest = service.issueKey("k".repeat(255))
      yield* Authentication.generateTokens({ apiKey: Redacted.make(longest) })
    })
  },
  {
    says: "Access token lifetime: the exact expiry of a token is given by expiresAt in the response.",
    where: "authentication sessionState",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.isTrue(Option.isSome((yield* (yield* TokenService).status).expiresAt))
    })
  },
  {
    says: "Refresh token: single use; valid only until the next refresh.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* afterExpiry
      service.expire()
      yield* Vaults.details()
      const sent = service.to("/auth/refresh-token").map(({ body: { refreshToken } }) => refreshToken)
      assert.strictEqual(new Set(sent).size, sent.length)
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { refreshToken } = yield* api.start
      const refresh = api.call("POST", "/auth/refresh-token", { json: { refreshToken } })
      assert.strictEqual((yield* refresh).status, 201)
      assert.strictEqual((yield* refresh).status, 401)
    })
  },
  {
    says: "Access token lifetime as a fixed duration is not shown.",
    where: claimsNothing,
    sdk: Effect.gen(function* () {
      // A service that says nothing of the expiry: the token serves until the service refuses it.
      const service = yield* Specified
      service.nextAnswers.push(success({ accessToken: "access-x", refreshToken: "refresh-x" }, 201))
      assert.isTrue(
        Option.isNone((yield* Effect.ignore(Vaults.details()), yield* (yield* TokenService).status).expiresAt)
      )
    })
  },
  {
    says: "Rate limits are not shown.",
    where: "sdk Custody",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => ({ status: 429, body: { status: 429, message: "Too many" } })
      assert.strictEqual((yield* Effect.flip(Clients.get({ externalId: "alice" })))._tag, "RateLimited")
    })
  },
  {
    says: "Page sizes are not shown.",
    where: "core Page",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      const all = ["a", "b", "c", "d", "e"].map((externalId) => ({ externalId }))
      service.others = ({ path }) => {
        const { page = "1" } = Object.fromEntries(new URL(path, "http://service").searchParams)
        // The service gives two, whatever it is asked for.
        const items = all.slice(2 * (Number(page) - 1), 2 * Number(page))
        return success({ items, totalItems: all.length, itemsPerPage: 2, currentPage: Number(page), totalPages: 3 })
      }
      const found = yield* Stream.runCollect(Page.stream(Clients.list, { limit: 100 }))
      assert.strictEqual(found.length, all.length)
    })
  },
  {
    says: "File-upload size limits are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => assert.isFalse(CustodyApi.operations.some((one) => "maxUpload" in one)))
  }
]

const versioning: ReadonlyArray<Statement> = [
  {
    says: "Versioning scheme, version headers and deprecation policy are not shown.",
    where: claimsNothing,
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      for (const { headers, path } of (yield* Specified).received) {
        assert.notMatch(path, /\/v\d/)
        assert.isFalse(Object.keys(headers).some((name) => /version|deprecat/i.test(name)))
      }
    })
  },
  {
    says: "The only environments named are production and sandbox, which differ by host.",
    where: "core Environment",
    sdk: Effect.sync(() => {
      const of = (host: string) => ({ subdomain: "acme", host })
      const production = new URL(Environment.production(of("custody.example")).baseUrl)
      const sandbox = new URL(Environment.sandbox(of("sandbox.example")).baseUrl)
      assert.notStrictEqual(production.host, sandbox.host)
      assert.strictEqual(production.pathname, sandbox.pathname)
      assert.strictEqual(production.protocol, sandbox.protocol)
    })
  }
]

export const sections: ReadonlyArray<Section> = [
  { title: "Dual-token model", statements: model },
  { title: "Flow", statements: flow },
  { title: "Rules a client must observe", statements: rules },
  { title: "Events", statements: events },
  { title: "Error body", statements: body },
  { title: "Error codes", statements: codeStatements },
  { title: "Notes on codes", statements: notes },
  { title: "Limits", statements: limits },
  { title: "Versioning", statements: versioning }
]
