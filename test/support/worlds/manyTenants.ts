/**
 * A process of its own with a client for each of many tenants over one store, in virtual time: what they cost while they
 * are used, and what is left of them when they are not: `node --expose-gc manyTenants.ts TENANTS AT_ONCE`.
 */
import { type Session, TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const [tenants = 1, atOnce = 1] = process.argv.slice(2).map(Number)

/** How it went while some tenants were in use. */
export interface Wave {
  /** Megabytes, with a client for each in use, and when all are released. */
  readonly inUse: number
  readonly released: number
  /** How much virtual time passed until all had their answers, in milliseconds. */
  readonly waited: number
  /** What became of a session that is lost, of one that cannot start, and of one whose store never answers, in the end. */
  readonly ends: ReadonlyArray<string>
}

/** What the process says when all tenants were in use, so many at once: of the second such time, and of the last. */
export interface Report {
  readonly waves: ReadonlyArray<Wave>
  readonly refreshes: number
  /** Answers that were another tenant's, and calls that failed. */
  readonly crossed: number
  readonly failed: number
}

const environment = Environment.local("http://127.0.0.1/api/integration")

/** Nobody rotates ahead of time. */
const expiresAt = 366 * 24 * 3_600_000 - 1

/** A service that remembers nothing: a token is `tenant.rotations`, and dead when there were more since. */
let rotations = 0
/** How many rotations there were when the tenants in use were stored. */
let storedAt = 0
let refreshes = 0

const answer = (status: number, data: unknown, code?: string): Response =>
  Response.json({ message: "", data, status, errors: {}, ...(code === undefined ? {} : { code }) }, { status })

const refreshed = ({ body }: HttpClientRequest.HttpClientRequest): Response => {
  const { refreshToken } = JSON.parse(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")
  const [tenant] = String(refreshToken).split(".")
  refreshes++
  const token = `${tenant}.${rotations}`
  return tenant === "lost"
    ? answer(401, {}, "E01402")
    : answer(201, { accessToken: token, refreshToken: token, expiresAt, vaultId: 1 })
}

const http = HttpClient.make((request, url) =>
  Effect.sync(() => {
    const [tenant, count] = request.headers["x-access-token"]?.split(".") ?? []
    const details = () =>
      Number(count) < rotations ? answer(498, {}, "E40003") : answer(200, { id: tenant, name: "" })
    return HttpClientResponse.fromWeb(request, url.pathname.endsWith("/refresh-token") ? refreshed(request) : details())
  })
)

/** What was stored of a tenant before this process began. */
const recordOf = (tenant: string): Session.SessionRecord => {
  const token = Redacted.make(`${tenant}.${tenant === "lost" ? -1 : storedAt}`)
  return {
    environment: environment.baseUrl,
    session: { generation: 0, accessToken: token, refreshToken: token, expiresAt, obtainedAt: 0 },
    spentKeys: []
  }
}

const storeOver = (inner: TokenStore["Service"]) =>
  TokenStore.of({
    compareAndSwap: inner.compareAndSwap,
    load: (tenant) => {
      if (tenant === "slow") return Effect.never
      if (tenant === "none") return Effect.succeedNone
      return Effect.map(
        inner.load(tenant),
        Option.orElseSome(() => ({ version: 0, record: recordOf(tenant) }))
      )
    }
  })

const megabytes = Effect.promise(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
})

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "Succeeded" })

const program = Effect.gen(function* () {
  const stored = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore)
  const clients = yield* Custody.makeLayerMap(() => ({ environment }), { idleTimeToLive: "1 minute" }).pipe(
    Effect.provideService(TokenStore, storeOver(stored)),
    Effect.provideService(HttpClient.HttpClient, http)
  )

  const read = (name: string) => Effect.provide(Vaults.details(), clients.get(name))
  const names = Array.from({ length: tenants }, (_, index) => `${index}`)
  let crossed = 0
  let failed = 0
  const use = (names: ReadonlyArray<string>) =>
    Effect.forEach(
      names,
      (name) =>
        Effect.match(read(name), {
          onFailure: () => void failed++,
          onSuccess: ({ id }) => void (id === name ? 0 : crossed++)
        }),
      { concurrency: "unbounded", discard: true }
    )
  const now = Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)

  /** Some tenants read, and rotate together, beside three that cannot; then nobody uses them any more. */
  const wave = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const slow = yield* Effect.forkChild(tagOf(read("slow")))
    const at = yield* now
    yield* use(names)
    rotations++
    const ends = [yield* tagOf(read("lost")), yield* tagOf(read("none"))]
    yield* use(names)
    const waited = (yield* now) - at
    if (slow.pollUnsafe() === undefined) ends.push("waits")
    const inUse = yield* megabytes
    yield* TestClock.adjust("2 minutes")
    ends.push(yield* Fiber.join(slow))
    return { inUse, released: yield* megabytes, waited, ends }
  })

  const waves: Array<Wave> = []
  for (let first = 0; first < tenants; first += atOnce) {
    const some = names.slice(first, first + atOnce)
    storedAt = rotations
    // The first is there to load everything.
    if (first === atOnce || first + atOnce >= tenants) waves.push(yield* wave(some))
    else yield* Effect.andThen(use(some), TestClock.adjust("2 minutes"))
  }
  return { waves, refreshes, crossed, failed } satisfies Report
})

console.log(JSON.stringify(await program.pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)))
