/** One call that goes wrong, in a world whose secrets are known, and everything that can be seen of it. */
import { ApiKeySource, TokenStore } from "@effect-custody/authentication"
import {
  type CustodyClient,
  Environment,
  RetryPolicy,
  Telemetry,
  TokenService,
  onDefect,
  onUncertain
} from "@effect-custody/core"
import { Authentication, Custody, Vaults } from "@effect-custody/sdk"
import { WireLog } from "@effect-custody/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { categories } from "../wire/vectors/operations.ts"
import { everythingSeen, printed } from "../support/worlds/observed.ts"
import { inputOf, operations } from "../wire/vectors/run.ts"
import type { Failure } from "./failures.ts"
import { kinds } from "./secrets.ts"

/** An input with which each operation is sent. */
const inputs: ReadonlyMap<string, unknown> = new Map(
  Object.values(categories)
    .flat()
    .map(({ operation, successes: [{ input }] }) => [operation, inputOf({ input, operation })])
)

/** A secret's part in the world. */
export type Role = "apiKey" | "access" | "refresh" | "option"
export const roles: ReadonlyArray<Role> = ["access", "refresh", "apiKey", "option"]

export type Secrets = Readonly<Record<Role | "nextAccess" | "nextRefresh", string>>

const small = (name: string) => `${name.length}${kinds["plain"]!(40, name.length * 7_919)}`

/** The secrets of a world, one of which is given. */
export const secretsWith = (role: Role, secret: string): Secrets => ({
  apiKey: small("api key"),
  access: small("access"),
  refresh: small("a refresh"),
  option: small("an option"),
  nextAccess: small("the next access"),
  nextRefresh: small("the next refresh"),
  [role]: secret
})

/** What is called: each operation; one that has to start the session first; one whose session has to be refreshed. */
export const calls: ReadonlyArray<string> = [...operations.keys(), "a start", "a refresh"]

const granted = (accessToken: string, refreshToken: string) =>
  new Response(
    JSON.stringify({ message: "ok", data: { accessToken, refreshToken, expiresAt: 4_102_444_800_000 }, status: 201 }),
    {
      status: 201,
      headers: { "content-type": "application/json" }
    }
  )

const expired = () => new Response(`{"status":498,"message":"Token expired","code":"E40003"}`, { status: 498 })

/** Which requests of a call fail. */
const fails = (call: string, path: string): boolean => {
  if (path.endsWith("/auth/generate-tokens")) return call === "a start" || call === "authentication.generateTokens"
  if (path.endsWith("/auth/refresh-token")) return call === "a refresh" || call === "authentication.refreshToken"
  return call !== "a refresh"
}

const effectOf = (call: string, secrets: Secrets): Effect.Effect<unknown, unknown, CustodyClient> => {
  switch (call) {
    case "a start":
    case "a refresh":
      return Vaults.details()
    case "authentication.generateTokens":
      return Authentication.generateTokens({ apiKey: Redacted.make(secrets.apiKey) })
    case "authentication.refreshToken":
      return Authentication.refreshToken({ refreshToken: Redacted.make(secrets.refresh) })
    default:
      return operations.get(call)!(inputs.get(call))
  }
}

/** What foreign code throws. */
const thrown = (secrets: Secrets) => Effect.die(Object.assign(new Error(Object.values(secrets).join(" ")), secrets))

export interface Case {
  readonly call: string
  readonly failure: Failure
  readonly secrets: Secrets
  /** The one that the failure repeats. */
  readonly secret: string
}

/** Lets virtual time pass until the effect ends; its caller gives up after a quarter of an hour. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let step = 0; step < 2_000 && fiber.pollUnsafe() === undefined; step++) {
      if (step === 200) yield* Effect.forkChild(Fiber.interrupt(fiber))
      if (step > 2) yield* TestClock.withLive(Effect.sleep(0))
      yield* TestClock.adjust(step < 4 ? 0 : "5 seconds")
    }
    return yield* fiber.pollUnsafe() ?? Effect.die("it never ends")
  })

const stub = ({ call, failure, secret, secrets }: Case) =>
  HttpClient.make((request, url) => {
    const path = url.pathname
    const respond = fails(call, path)
      ? failure.respond(secret, request)
      : Effect.sync(() =>
          path.endsWith("/auth/generate-tokens")
            ? granted(secrets.access, secrets.refresh)
            : path.endsWith("/auth/refresh-token")
              ? granted(secrets.nextAccess, secrets.nextRefresh)
              : expired()
        )
    return Effect.map(respond, (response) => HttpClientResponse.fromWeb(request, response))
  })

const store = ({ failure, secrets }: Case) =>
  Layer.effect(
    TokenStore,
    Effect.map(Layer.build(Layer.fresh(TokenStore.layerMemory)), (context) => {
      const inner = Context.get(context, TokenStore)
      if (failure.throws !== "store") return inner
      let swaps = 0
      return TokenStore.of({
        load: inner.load,
        compareAndSwap: (...swap) => (swaps++ < 1 ? inner.compareAndSwap(...swap) : thrown(secrets))
      })
    })
  )

/** Makes the call, and gives everything that was to be seen, by name. */
export const run = (one: Case): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.suspend(() => {
    const { call, failure, secrets } = one
    const sinks: Record<string, string> = {}
    const add = (sink: string, seen: unknown) => {
      sinks[sink] = `${sinks[sink] ?? ""}\n${printed(seen)}`
    }
    const keep = (value: unknown) =>
      Effect.andThen(
        Effect.logDebug("over the wire", value),
        Effect.sync(() => add("what a client of the user keeps", value))
      )
    const http = HttpClient.transform(stub(one), (exchange, request) => Effect.andThen(keep(request), exchange)).pipe(
      HttpClient.tapRequest(keep),
      HttpClient.tap((response) => keep([response.request, response.request.headers])),
      HttpClient.tapError((error) => Effect.sync(() => add("an HttpClientError that is kept", error.request.url)))
    )
    const hasKey = failure.throws !== "source"
    const client = Custody.layer({
      environment: Environment.emulator("http://127.0.0.1:4010/api/integration"),
      ...(hasKey ? { apiKey: Redacted.make(secrets.apiKey) } : {}),
      diagnostics: "bodies",
      secrets: [Redacted.make(secrets.option)],
      retry: RetryPolicy.none
    }).pipe(
      Layer.provide(store(one)),
      Layer.provide(Telemetry.layer()),
      Layer.provideMerge(hasKey ? Layer.empty : Layer.succeed(ApiKeySource, { next: () => thrown(secrets) }))
    )
    const program = Effect.gen(function* () {
      const log = yield* WireLog
      const context = yield* Layer.build(Layer.fresh(client))
      const tokens = Context.get(context, TokenService)
      yield* tokens.subscribe((event) => add("session events", event))
      const exit = yield* Effect.exit(Effect.provideContext(effectOf(call, secrets), context))
      add("TokenService.status", yield* tokens.status)
      add("the services printed", [...context.mapUnsafe.values()])
      add("secrets printed", yield* tokens.secrets)
      add("WireLog", [yield* log.entries, yield* log.transcript])
      add("metrics", yield* Metric.snapshot)
      // The payload of a successful call belongs to the caller, whatever it contains. Tokens never do.
      return yield* call.startsWith("authentication.") ? exit : Effect.asVoid(exit)
    })
    const called = program.pipe(
      Effect.provide(WireLog.layer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, http)))),
      Effect.scoped,
      inTime,
      Effect.withSpan("program"),
      Effect.tapCause((cause) => Effect.logError("it failed", cause)),
      Effect.provideService(onUncertain, (error) =>
        failure.throws === "hooks" ? thrown(secrets) : Effect.sync(() => add("onUncertain", error))
      ),
      Effect.provideService(onDefect, () => (failure.throws === "hooks" ? thrown(secrets) : Effect.void)),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(TestClock.layer())
    )
    return Effect.map(everythingSeen(called), ({ text }) => ({ ...sinks, "end, log or spans": text }))
  })
