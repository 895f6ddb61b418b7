import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as Http from "node:http"
import { details, refresh, send, session } from "./support.ts"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer())))

const get = Effect.fnUntraced(function* (path: string) {
  const { baseUrl } = yield* CustodyEmulator
  return yield* HttpClient.get(new URL(path, baseUrl))
})

/** A request with headers that fetch cannot set. */
const status = (url: URL, headers: Http.OutgoingHttpHeaders, method = "GET") =>
  Effect.callback<number | undefined>((resume) => {
    Http.request(url, { headers, method }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end()
  })

describe("the page", () => {
  it.live("is at the root, with its address, and the reference loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* CustodyEmulator
      assert.include(yield* Effect.flatMap(get("/"), ({ text }) => text), baseUrl)
      for (const file of ["/page.js", "/page.css", "/parts.js", "/parts.css", "/visible.js"]) {
        assert.strictEqual((yield* get(file)).status, 200, file)
      }
      assert.match((yield* get("/docs")).headers["content-security-policy"]!, /^default-src 'none';/)
    }).pipe(served)
  )

  it.live("is served only to this machine under its own names, and to no other page", () =>
    Effect.gen(function* () {
      const { baseUrl, sessions } = yield* CustodyEmulator
      const { host } = new URL(baseUrl)
      const { accessToken } = yield* session()
      for (const path of ["/", "/docs", "/page.js", "/emulator/overview", "/emulator/counts"]) {
        const url = new URL(path, baseUrl)
        assert.strictEqual(yield* status(url, { host: "rebound.example" }), 403, path)
        assert.strictEqual(yield* status(url, { host, origin: "https://elsewhere.example" }), 403, path)
        assert.strictEqual(yield* status(url, { host, origin: "null" }), 403, path)
      }
      const api = new URL(`${baseUrl}/vaults/details`)
      assert.strictEqual(yield* status(api, { host: "rebound.example" }), 403)
      assert.strictEqual(yield* status(api, { host }), 401)
      const revoke = new URL("/emulator/revoke", baseUrl)
      assert.strictEqual(yield* status(revoke, { host, origin: "https://elsewhere.example" }, "POST"), 403)
      assert.strictEqual((yield* details(accessToken)).status, 200)
      assert.strictEqual(yield* status(revoke, { host: "localhost", origin: "http://localhost" }, "POST"), 204)
      assert.isTrue((yield* sessions)[0]?.revoked)
    }).pipe(served)
  )

  it.live("receives the state, without secrets", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      const pair = yield* session()
      yield* refresh(pair.refreshToken)
      yield* send("/clients/create", { token: pair.accessToken, body: { externalId: "alice" } })
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "12.50" })
      const text = yield* Effect.flatMap(get("/emulator/overview"), (response) => response.text)
      const overview = JSON.parse(text)
      assert.deepInclude(overview.sessions[0], { session: 1, vaultId: 1, generation: 1, revoked: false })
      assert.isAtLeast(overview.sessions[0].rotatedAt, overview.sessions[0].startedAt)
      assert.isAbove(overview.sessions[0].expiresAt, overview.sessions[0].rotatedAt)
      assert.deepInclude(overview.requests[0], { operation: "clients.create", status: 201 })
      assert.deepInclude(overview.wallets[0], { owner: "alice", asset: "usdc", balance: "12.50" })
      assert.deepInclude(overview.transactions[0], { type: "INCOMING", status: "COMPLETED", amount: "12.50" })
      assert.notMatch(text, /\b(?:at|rt|ak)_\w{20}/)
    }).pipe(served)
  )
})
