/**
 * `pnpm interop`: what other programs make of the OpenAPI document. Redocly and Spectral read it, openapi-typescript
 * and openapi-fetch make a client of it, and Prism stands in for the service, and between the SDK and the emulator.
 */
import { TokenStore } from "@effect-custody/authentication"
import { type CustodyClient, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi } from "@effect-custody/sdk"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { mkdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { day } from "../../../examples/payments/day.ts"
import { World } from "../../../examples/payments/World.ts"
import type { Others } from "../client/others.ts"
import { sdkCalls } from "./sdkCalls.ts"
import { document, generated, home, Objection, prism, run } from "./tools.ts"
import { writeTypes } from "./types.ts"

const names = CustodyApi.operations.map(({ operation }) => operation)

const expect = (holds: boolean, message: string) => (holds ? Effect.void : Effect.fail(Objection.of(message)))

/**
 * The SDK against a service at an address. With Node's client a file of a known size has a Content-Length: Prism forwards
 * `Transfer-Encoding: chunked` beside a length of its own, which no server accepts.
 */
const sdkAt = (url: string, apiKey: Redacted.Redacted) =>
  Custody.layer({ environment: Environment.local(url), apiKey }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )

/** What Prism says of a request or an answer that is not as the document says. */
const violations = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => /violation|did not pass|✖ {2}error/i.test(line))

const quiet: Console.Console = Object.assign(Object.create(console), { log: () => {} })

const emulator = Layer.fresh(
  CustodyEmulator.layerServer({ durations: { pendingFor: "50 millis", broadcastingFor: "50 millis" } })
)

const redocly = Effect.fnUntraced(function* (file: string) {
  const said = yield* run("redocly", "lint", "--extends", "recommended", "--format", "json", file)
  const { totals } = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1))
  yield* expect(totals.errors + totals.warnings === 0, said)
  return "recommended: no error, no warning"
})

const spectral = Effect.as(
  run("spectral", "lint", "--fail-severity", "hint", "--ruleset", Path.join(home, "spectral.yaml"), document),
  "spectral:oas: no result"
)

const compile = Effect.gen(function* () {
  yield* Effect.promise(writeTypes)
  yield* run("tsc", "--project", Path.join(home, "client"))
  return "the client compiles, strict"
})

/** The client is compiled against the types that were just written, and so is no part of this program's types. */
const clientModule: string = new URL("../client/everyOperation.ts", import.meta.url).href

const openApiFetch = Effect.gen(function* () {
  const { baseUrl, fund, issueApiKey, payLink, received } = yield* CustodyEmulator
  const apiKey = yield* issueApiKey()
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
  const others: Others = {
    fund: (clientId, assetId, amount) => runPromise(fund({ clientId, assetId, amount })),
    payLink: (linkId) => runPromise(payLink(linkId))
  }
  yield* Effect.tryPromise({
    try: async () => (await import(clientModule)).everyOperation(baseUrl, Redacted.value(apiKey), others),
    catch: (error) => Objection.of(String(error))
  })
  const succeeded = new Set(
    (yield* received).flatMap(({ operation, status = 0 }) =>
      operation === undefined || status >= 300 ? [] : [operation]
    )
  )
  const missing = names.filter((name) => !succeeded.has(name))
  yield* expect(missing.length === 0, `not called, or refused: ${missing.join(", ")}`)
  return `${succeeded.size} of ${names.length} operations succeed at the emulator`
}).pipe(Effect.provide(emulator))

const prismMock = Effect.gen(function* () {
  const { lines, url } = yield* prism("mock", document)
  const calls =
    Object.entries<Effect.Effect<unknown, { readonly _tag: string; readonly message: string }, CustodyClient>>(sdkCalls)
  const results = yield* Effect.forEach(calls, ([name, call]) =>
    Effect.map(Effect.result(call), (result) => ({ name, result }))
  ).pipe(Effect.provide(sdkAt(url, Redacted.make("key"))))
  const failed = results.flatMap(({ name, result }) =>
    Result.isFailure(result) ? [`${name}: ${result.failure._tag} ${result.failure.message}`] : []
  )
  const missing = names.filter((name) => !results.some((result) => result.name === name))
  yield* expect(failed.length === 0 && missing.length === 0, [...failed, ...missing].join("\n"))
  yield* expect(violations(lines()).length === 0, violations(lines()).join("\n"))
  return `the SDK succeeds on ${results.length} of ${names.length} operations`
}).pipe(Effect.scoped)

const prismProxy = Effect.gen(function* () {
  const { baseUrl, counts, issueApiKey } = yield* CustodyEmulator
  const apiKey = yield* issueApiKey()
  const { lines, url } = yield* prism("proxy", document, baseUrl, "--errors")
  yield* day.pipe(
    Effect.provideService(Console.Console, quiet),
    Effect.provide(Layer.merge(World.layer, sdkAt(url, apiKey))),
    Effect.mapError((error) => Objection.of(`${error._tag} ${error.message}\n${lines().slice(-20).join("\n")}`))
  )
  yield* expect(violations(lines()).length === 0, violations(lines()).join("\n"))
  const { requests } = yield* counts
  return `no violation in the ${requests} requests of examples/payments`
}).pipe(Effect.scoped, Effect.provide(emulator))

const program = Effect.gen(function* () {
  mkdirSync(generated, { recursive: true })
  writeFileSync(document, JSON.stringify(OpenApi.fromApi(HttpApi)))
  const steps: Readonly<Record<string, Effect.Effect<string, { readonly message: string }>>> = {
    Redocly: redocly(document),
    Spectral: spectral,
    "openapi-typescript": compile,
    "openapi-fetch": openApiFetch,
    "Prism mock": prismMock,
    "Prism proxy": prismProxy
  }
  const results = yield* Effect.forEach(Object.entries(steps), ([name, step]) =>
    Effect.result(step).pipe(
      Effect.tap((result) =>
        Console.log(
          Result.isSuccess(result)
            ? `✓ ${name.padEnd(42)}${result.success}`
            : `✗ ${name.padEnd(42)}${result.failure.message}`
        )
      )
    )
  )
  if (results.some(Result.isFailure)) return yield* Objection.of("the document has violations")
})

NodeRuntime.runMain(program)
