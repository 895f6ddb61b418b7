import { type Session, TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const environment = Environment.local("http://127.0.0.1/api/integration")
const expiresAt = 366 * 24 * 3_600_000

/** A service whose tokens are `tenant.rotations`, and dead when there were more since; and what it was asked for. */
const makeService = () => {
  const service = { rotations: 0, refreshes: 0 }
  const answer = (status: number, data: unknown, code?: string): Response =>
    Response.json({ message: "", data, status, errors: {}, ...(code === undefined ? {} : { code }) }, { status })
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      const token: string = request.headers["x-access-token"] ?? JSON.parse(body).refreshToken
      const [tenant, count] = token.split(".")
      const respond = () => {
        if (!url.pathname.endsWith("/refresh-token"))
          return Number(count) < service.rotations ? answer(498, {}, "E40003") : answer(200, { id: tenant, name: "" })
        service.refreshes++
        const next = `${tenant}.${service.rotations}`
        return tenant === "lost"
          ? answer(401, {}, "E01402")
          : answer(201, { accessToken: next, refreshToken: next, expiresAt, vaultId: 1 })
      }
      return HttpClientResponse.fromWeb(request, respond())
    })
  )
  return { service, client }
}

const recordOf = (tenant: string): Session.SessionRecord => {
  const token = Redacted.make(`${tenant}.0`)
  const session = { generation: 0, accessToken: token, refreshToken: token, expiresAt, obtainedAt: 0 }
  return { environment: environment.baseUrl, session, spentKeys: [] }
}

/** A store that has a session of every tenant, but for one; and never answers for another. */
const storeOver = (inner: TokenStore["Service"]) =>
  TokenStore.of({
    compareAndSwap: inner.compareAndSwap,
    load: (tenant) => {
      if (tenant === "slow") return Effect.never
      if (tenant === "none") return Effect.succeedNone
      const stored = inner.load(tenant)
      return Effect.map(
        stored,
        Option.orElseSome(() => ({ version: 0, record: recordOf(tenant) }))
      )
    }
  })

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "Succeeded" })

describe("many tenants in one process", () => {
  it.effect("46 · no dead session and no slow store delays another of 200 tenants, and no token crosses", () =>
    Effect.gen(function* () {
      const { client, service } = makeService()
      const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore)
      const clients = yield* Custody.makeLayerMap(() => ({ environment }), { idleTimeToLive: "1 minute" }).pipe(
        Effect.provideService(TokenStore, storeOver(memory)),
        Effect.provideService(HttpClient.HttpClient, client)
      )
      const read = (name: string) => Effect.provide(Vaults.details(), clients.get(name))
      const names = Array.from({ length: 200 }, (_, index) => `${index}`)
      const all = Effect.forEach(
        names,
        (name) => Effect.map(read(name), ({ id }) => assert.strictEqual<unknown>(id, name)),
        { concurrency: "unbounded", discard: true }
      )
      const began = yield* Clock.currentTimeMillis
      const slow = yield* Effect.forkChild(tagOf(read("slow")))
      yield* all
      service.rotations++
      assert.strictEqual(yield* tagOf(read("lost")), "SessionLost")
      assert.strictEqual(yield* tagOf(read("none")), "NoSession")
      yield* all
      // Time has stood still: they have waited for nothing, while the slow store still does.
      assert.strictEqual(yield* Clock.currentTimeMillis, began)
      assert.isUndefined(slow.pollUnsafe())
      assert.strictEqual(service.refreshes, names.length + 1)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* Fiber.join(slow), "TokenStoreError")
    })
  )
})
