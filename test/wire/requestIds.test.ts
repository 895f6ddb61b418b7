/** The information for the service's support: request ids, the client's name, and the headers of a scope. */
import { Amount, NotFound, RateLimited, RetryPolicy, UnexpectedResponse, withHeaders } from "@effect-custody/core"
import { Clients, Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { version } from "../../packages/sdk/src/internal/version.ts"
import {
  against,
  details,
  generated,
  refreshed,
  refusal,
  serverWithSession,
  http1Transports,
  transports
} from "../support/clients/wireClient.ts"
import { header, json, wireServer } from "../support/servers/wireServer.ts"

const ids = { "X-Request-Id": "req-1", "x-correlation-id": "corr-2", traceparent: "00-abc-def-01", "x-other": "other" }
const kept = { "x-request-id": "req-1", "x-correlation-id": "corr-2", traceparent: "00-abc-def-01" }

describe.each(transports)("support information over $name", (transport) => {
  it.effect("an error keeps the request ids of its answer, and names operation, status and code", () =>
    against(
      serverWithSession((_, nth) =>
        nth === 0
          ? json(404, { status: 404, message: "No such client", errors: {}, code: "E40404" }, ids)
          : nth === 1
            ? json(429, { message: "Slower" }, { ...ids, "retry-after": "7" })
            : json(200, "nothing to read", ids)
      ),
      transport,
      () =>
        Effect.gen(function* () {
          const missing = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
          assert.instanceOf(missing, NotFound)
          assert.deepStrictEqual(missing.requestIds, kept)
          assert.strictEqual(missing.message, "clients.get: HTTP 404, E40404: No such client")
          const throttled = yield* Effect.flip(Vaults.details())
          assert.instanceOf(throttled, RateLimited)
          assert.deepStrictEqual(throttled.requestIds, kept)
          assert.strictEqual(Duration.toSeconds(throttled.retryAfter ?? 0), 7)
          const unread = yield* Effect.flip(Vaults.details())
          assert.instanceOf(unread, UnexpectedResponse)
          assert.deepStrictEqual(unread.requestIds, kept)
        })
    )
  )

  it.effect("an unknown outcome keeps the request ids of its answer", () =>
    against(
      serverWithSession(() => json(502, "<html>", ids)),
      transport,
      () =>
        Effect.gen(function* () {
          const input = { clientId: "alice", assetId: "usdc", to: "0x2", amount: Amount.of("1") }
          const unknown = yield* Effect.flip(Transactions.send(input))
          assert(unknown._tag === "OutcomeUnknown")
          assert.deepStrictEqual(unknown.requestIds, kept)
        })
    )
  )

  const refused = (status: number, code: string) => json(status, { status, message: "No", errors: {}, code }, ids)
  const heard = "x-request-id req-1, x-correlation-id corr-2, traceparent 00-abc-def-01."
  const sessions = [
    { tag: "NoSession", atStart: true, answer: refused(400, "E00401"), said: "HTTP 400, E00401" },
    { tag: "RefreshUnavailable", atStart: true, answer: refused(403, "E40403"), said: "HTTP 403, E40403" },
    { tag: "RefreshUnavailable", atStart: false, answer: refused(403, "E40403"), said: "HTTP 403, E40403" },
    { tag: "SessionLost", atStart: false, answer: refused(401, "E01402"), said: "HTTP 401, E01402" },
    { tag: "StoredSessionInvalid", atStart: false, answer: refused(422, "E00402"), said: "HTTP 422, E00402" },
    { tag: "SessionAmbiguous", atStart: false, answer: json(502, "<html>", ids), said: "HTTP 502" }
  ] as const
  it.live.each(sessions)("$tag shows the service's answer (at the start: $atStart)", ({ answer, atStart, said, tag }) =>
    against(
      wireServer(({ target }) =>
        target.endsWith("/auth/refresh-token") || atStart
          ? answer
          : target.endsWith("/auth/generate-tokens")
            ? generated
            : refusal(498, "E40003", "Expired")
      ),
      transport,
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Vaults.details())
          assert(error._tag === tag, error._tag)
          assert.deepStrictEqual(error.requestIds, kept)
          const [, status, code] = /HTTP (\d+)(?:, (E\d+))?/.exec(said) ?? []
          assert.deepStrictEqual([error.status, error.code], [Number(status), code])
          assert.include(error.message, ` The answer was ${said}, ${heard}`)
        }),
      { retry: RetryPolicy.none }
    )
  )

  it.effect("the headers of a scope go with its calls, and not with a rotation", () =>
    against(
      serverWithSession(({ target }, nth) =>
        target.endsWith("/auth/refresh-token") ? refreshed(1) : nth === 0 ? refusal(498, "E40003", "Expired") : details
      ),
      transport,
      ({ received }) =>
        Effect.gen(function* () {
          const inner = Vaults.details().pipe(withHeaders({ "X-Team": "payouts" }))
          yield* inner.pipe(withHeaders({ "x-team": "outer", "x-correlation-id": "c-1" }))
          yield* Vaults.details()
          assert.deepStrictEqual(
            received.map((request) => [
              request.target.slice("/api/integration".length),
              ...header(request, "x-team"),
              ...header(request, "x-correlation-id")
            ]),
            [
              ["/auth/generate-tokens"],
              ["/vaults/details", "payouts", "c-1"],
              ["/auth/refresh-token"],
              ["/vaults/details", "payouts", "c-1"],
              ["/vaults/details"]
            ]
          )
        })
    )
  )

  it.effect("every request names the client, unless this is turned off", () =>
    Effect.gen(function* () {
      const agents = (options: Partial<Custody.Options>) =>
        against(
          serverWithSession(() => details),
          transport,
          ({ received }) =>
            Effect.map(Vaults.details(), () => received.map((request) => header(request, "user-agent").join())),
          options
        )
      const ours = `effect-custody/${version} (Node.js/${process.versions.node.split(".")[0]})`
      assert.deepStrictEqual(yield* agents({}), [ours, ours])
      assert.deepStrictEqual(yield* agents({ userAgent: "payouts/2.1" }), ["payouts/2.1", "payouts/2.1"])
      for (const agent of yield* agents({ userAgent: false })) assert.notInclude(agent, "effect-custody")
    })
  )
})

describe("the list of request ids", () => {
  it.effect("the list of request ids can be set, and holds no secret and no more than the limit", () =>
    against(
      serverWithSession(() => json(400, { message: "No" }, { "x-trace": "access-0", "x-long": "x".repeat(5_000) })),
      http1Transports[0],
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Vaults.details())
          assert(error._tag === "OtherApiError")
          assert.deepStrictEqual(Object.keys(error.requestIds), ["x-trace", "x-long"])
          assert.notInclude(error.requestIds["x-trace"] ?? "", "access-0")
          assert.isBelow(error.requestIds["x-long"]?.length ?? 0, 1_100)
        }),
      { requestIdHeaders: ["X-Trace", "x-long"] }
    )
  )
})

describe("a header that cannot be sent", () => {
  const wrong: ReadonlyArray<readonly [name: string, value: unknown]> = [
    ["x team", "payouts"],
    ["x-team", "two\nlines"],
    ["X-Access-Token", "mine"],
    ["Content-Type", "text/plain"],
    ["Content-Encoding", "gzip"],
    ["upgrade", "websocket"],
    ["x-team", undefined]
  ]
  it.effect.each(wrong)("the header %j: %j is refused before a request is sent", ([name, value]) =>
    against(
      serverWithSession(() => details),
      http1Transports[0],
      ({ received }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Vaults.details().pipe(withHeaders({ [name]: value as string })))
          assert.strictEqual(error._tag, "ConfigurationInvalid")
          assert.lengthOf(received, 0)
        })
    )
  )
})
