import { TokenStore } from "@effect-custody/authentication"
import { type CustodyClient, Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { answer, type Sent, stubHttp } from "../support/clients/stubHttp.ts"

/** What a program is at, seen from its transport and its store. */
type Phase = "asking" | "loading" | "storing" | "refreshing" | "elsewhere"

/** Many chances to be interrupted. */
const pause = Effect.repeat(Effect.yieldNow, { times: 3 })

/**
 * A service with one session, and everything that its client needs to reach it. Refresh tokens die on first use; whoever
 * sends a dead one loses the session.
 */
const makeService = () => {
  let phase: Phase = "elsewhere"
  let generation = 0
  let expiredUpTo = -1
  const refreshes: Array<string> = []
  const during =
    (name: Phase) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.gen(function* () {
        phase = name
        yield* pause
        const result = yield* work
        yield* pause
        phase = "elsewhere"
        return result
      })

  const tokens = (status: number) =>
    answer(status, {
      message: "ok",
      data: { accessToken: `access-${generation}`, refreshToken: `refresh-${generation}`, expiresAt: 4102444800000 },
      status
    })
  const refusal = (status: number, code: string) => answer(status, { status, message: "No", errors: {}, code })

  const respond = ({ body, headers, url }: Sent): Effect.Effect<Response> => {
    if (url.endsWith("/auth/generate-tokens")) return Effect.succeed(tokens(201))
    if (url.endsWith("/auth/refresh-token")) {
      return Effect.sync(() => {
        refreshes.push(body)
        if (body !== `{"refreshToken":"refresh-${generation}"}`) return refusal(401, "E01402")
        generation++
        return tokens(201)
      }).pipe(during("refreshing"))
    }
    return Effect.sync(() => {
      const token = Number(headers["x-access-token"]?.replace("access-", ""))
      return token <= expiredUpTo
        ? refusal(498, "E40003")
        : answer(200, { message: "", data: { id: "42" }, status: 200 })
    }).pipe(during("asking"))
  }

  const http = stubHttp(respond)

  /** A store in memory in which everything takes its time. */
  const store = Layer.effect(
    TokenStore,
    Effect.map(TokenStore, (memory) =>
      TokenStore.of({
        load: (identity) => during("loading")(memory.load(identity)),
        compareAndSwap: (identity, version, next) => during("storing")(memory.compareAndSwap(identity, version, next))
      })
    )
  ).pipe(Layer.provideMerge(TokenStore.layerMemory))

  return {
    refreshes,
    phase: () => phase,
    expire: () => {
      expiredUpTo = generation
    },
    client: Layer.fresh(
      Custody.layer({
        environment: Environment.local("http://localhost/api/integration"),
        apiKey: Redacted.make("one-time-api-key"),
        retry: RetryPolicy.none
      }).pipe(Layer.provideMerge(store), Layer.provide(http.layer))
    ),
    http
  }
}

type Service = ReturnType<typeof makeService>

/** The session is whole: the next call is served, by one refresh in all, and the store holds what it brought. */
const assertWhole = Effect.fnUntraced(function* (service: Service) {
  assert.deepInclude<object>(yield* Vaults.details(), { id: "42" })
  assert.deepStrictEqual(service.refreshes, [`{"refreshToken":"refresh-0"}`])
  const stored = Option.getOrThrow(yield* TokenStore.use((store) => store.load("default"))).record
  assert(stored.session !== undefined)
  assert.strictEqual(stored.session.generation, 1)
  assert.strictEqual(Redacted.value(stored.session.refreshToken), "refresh-1")
  assert.isUndefined(stored.intent)
  assert.isUndefined(stored.lease)
  assert.strictEqual((yield* TokenService.use(({ status }) => status)).state, "serving")
})

/** Interrupts a call that starts a rotation after so many steps; tells at what, and if it had ended before. */
const interruptedAfter = <E>(steps: number, beside: Effect.Effect<void, E, CustodyClient>) => {
  const service = makeService()
  return Effect.gen(function* () {
    yield* Vaults.details()
    service.expire()
    const starter = yield* Effect.forkChild(Vaults.details())
    const others = yield* Effect.forkChild(beside)
    for (let step = 0; step < steps; step++) yield* Effect.yieldNow
    const seen = { phase: service.phase(), ended: starter.pollUnsafe() !== undefined }
    yield* Fiber.interrupt(starter)
    yield* Fiber.join(others)
    yield* assertWhole(service)
    return seen
  }).pipe(Effect.provide(service.client), Effect.scoped)
}

/** Interrupts at every step until the call ends by itself; gives the phases that were hit. */
const interruptedEverywhere = <E>(beside: Effect.Effect<void, E, CustodyClient>) =>
  Effect.gen(function* () {
    const hit = new Map<Phase, number>()
    for (let steps = 0; ; steps++) {
      const { ended, phase } = yield* interruptedAfter(steps, beside)
      if (ended) return hit
      hit.set(phase, (hit.get(phase) ?? 0) + 1)
    }
  })

const everyPhase: ReadonlyArray<Phase> = ["asking", "loading", "storing", "refreshing"]

describe("one rotation for everybody", () => {
  it.live("11 · 1,000 concurrent calls that all get 498 cause exactly one refresh, and all succeed", () =>
    Effect.gen(function* () {
      const count = 1_000
      let asked = 0
      const everybodyHasAsked = yield* Deferred.make<void>()
      const http = stubHttp(({ headers, url }) => {
        const generation = url.endsWith("/auth/refresh-token") ? 1 : 0
        if (url.includes("/auth/")) {
          const data = { accessToken: `access-${generation}`, refreshToken: `refresh-${generation}` }
          return Effect.succeed(answer(201, { message: "", data, status: 201 }))
        }
        if (headers["x-access-token"] === "access-1") {
          return Effect.sync(() => answer(200, { message: "", data: { id: "42" }, status: 200 }))
        }
        if (++asked === count) Deferred.doneUnsafe(everybodyHasAsked, Effect.void)
        return Effect.as(
          Deferred.await(everybodyHasAsked),
          answer(498, { status: 498, message: "Token has expired", errors: {}, code: "E40003" })
        )
      })
      const client = Custody.layer({
        environment: Environment.local("http://localhost/api/integration"),
        apiKey: Redacted.make("one-time-api-key")
      }).pipe(Layer.provide([http.layer, TokenStore.layerMemory]))

      const vaults = yield* Effect.all(
        Array.from({ length: count }, () => Vaults.details()),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(client))

      assert.strictEqual(vaults.filter(({ id }) => id === "42").length, count)
      const sentTo = (path: string, token?: string) =>
        http.sent.filter(({ headers, url }) => url.endsWith(path) && headers["x-access-token"] === token)
      assert.strictEqual(sentTo("/auth/generate-tokens").length, 1)
      assert.deepStrictEqual(
        sentTo("/auth/refresh-token").map(({ body }) => body),
        [`{"refreshToken":"refresh-0"}`]
      )
      assert.strictEqual(sentTo("/vaults/details", "access-0").length, count)
      assert.strictEqual(sentTo("/vaults/details", "access-1").length, count)
      assert.strictEqual(http.sent.length, 2 * count + 2)
    })
  )

  it.effect("14 · the call that started the rotation is interrupted at every step: no token is lost, one refresh", () =>
    Effect.gen(function* () {
      const hit = yield* interruptedEverywhere(Effect.void)
      for (const phase of everyPhase) assert.isAbove(hit.get(phase) ?? 0, 2, phase)
    })
  )

  it.effect("15 · whoever has joined the rotation gets its token, wherever the one who started it is interrupted", () =>
    Effect.gen(function* () {
      const join = Effect.asVoid(
        Effect.all([Vaults.details(), Vaults.details(), Vaults.details()], { concurrency: "unbounded" })
      )
      const hit = yield* interruptedEverywhere(join)
      for (const phase of everyPhase) assert.isAbove(hit.get(phase) ?? 0, 0, phase)
    })
  )
})
