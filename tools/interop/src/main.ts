/**
 * `pnpm interop`: what other programs make of the OpenAPI document. Redocly and Spectral read it, openapi-typescript
 * writes its types, and Prism checks the requests and answers of every operation between the SDK and the emulator.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
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
import { callEach } from "../../../packages/emulator/test/operations.ts"
import { document, generated, home, Objection, prism, run } from "./tools.ts"

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
  yield* run("openapi-typescript", document, "--output", Path.join(generated, "api.ts"))
  yield* run("tsc", "--project", Path.join(home, "client"))
  return "the types compile, strict"
})

const prismProxy = Effect.gen(function* () {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  const apiKey = yield* issueApiKey()
  const { lines, url } = yield* prism("proxy", document, baseUrl, "--errors")
  const results = yield* callEach.pipe(
    Effect.provide(sdkAt(url, apiKey)),
    Effect.mapError((error) => Objection.of(`${String(error)}\n${lines().slice(-20).join("\n")}`))
  )
  const missing = CustodyApi.operations.filter(({ operation }) => !(operation in results))
  yield* expect(missing.length === 0, missing.map(({ operation }) => operation).join())
  yield* expect(violations(lines()).length === 0, violations(lines()).join("\n"))
  return `no violation in a call of each of the ${Object.keys(results).length} operations`
}).pipe(Effect.scoped, Effect.provide(emulator))

const program = Effect.gen(function* () {
  mkdirSync(generated, { recursive: true })
  writeFileSync(document, JSON.stringify(OpenApi.fromApi(HttpApi)))
  const steps: Readonly<Record<string, Effect.Effect<string, { readonly message: string }>>> = {
    Redocly: redocly(document),
    Spectral: spectral,
    "openapi-typescript": compile,
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
