/** One call that goes wrong, in a world whose secrets are known, and everything that can be seen of it. */
import { ApiKeySource, TokenStore } from "@effect-custody/authentication"
import {
  CustodyClient,
  Environment,
  RetryPolicy,
  Telemetry,
  TokenService,
  Upload,
  Amount,
  onDefect,
  onUncertain
} from "@effect-custody/core"
import * as Sdk from "@effect-custody/sdk"
import { Custody } from "@effect-custody/sdk"
import { WireLog } from "@effect-custody/testing"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { files, type Vector } from "../wire/vectors/corpus.ts"
import type { Failure } from "./failures.ts"
import { kinds } from "./secrets.ts"
import { printed, seen, type Sinks } from "./sinks.ts"

type Endpoint = { readonly operation: string } & ((input: unknown) => Effect.Effect<unknown, unknown, CustodyClient>)

const isEndpoint = (value: unknown): value is Endpoint => typeof value === "function" && "operation" in value

const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  Object.values<any>(Sdk)
    .flatMap((namespace) => Object.values<unknown>(namespace))
    .filter(isEndpoint)
    .map((endpoint) => [endpoint.operation, endpoint])
)

const vectors: ReadonlyArray<Vector> = Object.values(files).flatMap((text) => JSON.parse(text).vectors)

/** A value of a vector's input as the endpoints take it. */
const ours = (name: string, value: any): unknown => {
  if (["amount", "initialSupply"].includes(name)) return Amount.fromStringUnsafe(value)
  if (["from", "to"].includes(name) && /^\d{4}-/.test(value)) return DateTime.makeUnsafe(value)
  if (value?.contentType === undefined) return value
  return Upload.fromBytes({ ...value, bytes: new TextEncoder().encode(value.text) })
}

/** An input with which an operation is sent. */
const inputOf = (operation: string): unknown => {
  const vector = vectors.find((one) => one.operation === operation && one.request !== null && one.result !== undefined)
  const entries = Object.entries(vector?.input ?? {}).map(([name, value]) => [name, ours(name, value)])
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

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
export const calls: ReadonlyArray<string> = [...endpoints.keys(), "a start", "a refresh"]

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

export const effectOf = (call: string, secrets: Secrets): Effect.Effect<unknown, unknown, CustodyClient> => {
  switch (call) {
    case "a start":
    case "a refresh":
      return Sdk.Vaults.details()
    case "authentication.generateTokens":
      return Sdk.Authentication.generateTokens({ apiKey: Redacted.make(secrets.apiKey) })
    case "authentication.refreshToken":
      return Sdk.Authentication.refreshToken({ refreshToken: Redacted.make(secrets.refresh) })
    default:
      return endpoints.get(call)!(inputOf(call))
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
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
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

/** Makes the call, and gives everything that was to be seen. */
export const run = (one: Case): Effect.Effect<{ readonly sinks: Sinks; readonly tag: string }> => {
  const { call, failure, secrets } = one
  return Effect.map(
    seen((add) => {
      const keep = (value: unknown) =>
        Effect.andThen(
          Effect.logDebug("over the wire", value),
          Effect.sync(() => add("what a client of the user keeps", printed(value)))
        )
      const http = HttpClient.transform(stub(one), (exchange, request) => Effect.andThen(keep(request), exchange)).pipe(
        HttpClient.tapRequest(keep),
        HttpClient.tap((response) => keep([response.request, response.request.headers])),
        HttpClient.tapError((error) =>
          Effect.sync(() => add("an HttpClientError that is kept", String(error.request.url)))
        )
      )
      const hasKey = failure.throws !== "source"
      const client = Custody.layer({
        environment: Environment.local("http://127.0.0.1:4010/api/integration"),
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
        yield* Effect.forkChild(
          Stream.runForEach(tokens.events, (event) => Effect.sync(() => add("session events", printed(event))))
        )
        const exit = yield* Effect.exit(Effect.provideContext(effectOf(call, secrets), context))
        add("TokenService.status", printed(yield* tokens.status))
        add("the services printed", [...context.mapUnsafe.values()].map(printed).join("\n"))
        add("secrets printed", printed(yield* tokens.secrets))
        add("WireLog entries", printed(yield* log.entries))
        add("WireLog transcript", yield* log.transcript)
        // The payload of a successful call belongs to the caller, whatever it contains. Tokens never do.
        return yield* call.startsWith("authentication.") ? exit : Effect.asVoid(exit)
      })
      return program.pipe(
        Effect.provide(WireLog.layer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, http)))),
        Effect.scoped,
        inTime,
        Effect.provideService(onUncertain, (error) =>
          failure.throws === "hooks" ? thrown(secrets) : Effect.sync(() => add("onUncertain", printed(error)))
        ),
        Effect.provideService(onDefect, () => (failure.throws === "hooks" ? thrown(secrets) : Effect.void)),
        Effect.provide(TestClock.layer())
      )
    }),
    ({ exit, sinks }) => ({ sinks, tag: exit._tag })
  )
}
