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
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { mkdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { callEach } from "../../../packages/emulator/test/operations.ts"
import { must, run, started } from "../../release/try/run.ts"

/** The folder of this workspace. */
const home = Path.resolve(import.meta.dirname, "..")
const generated = Path.join(home, "generated")
/** The document that every tool reads: the API as it is assumed. */
const document = Path.join(generated, "openapi.json")

/** What a tool or a check says against the document. */
class Objection extends Data.TaggedError("Objection")<{ readonly message: string }> {}

const objection = (error: unknown) => new Objection({ message: String(error) })

const options = {
  cwd: home,
  env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
}

const binary = (name: string): string => Path.join(home, "node_modules/.bin", name)

/** What a tool says that is run to its end. */
const said = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: async () => stripVTControlCharacters((await must(run(binary(name), args, options))).output),
    catch: objection
  })

/** Prism, on a free port of the loopback until the scope ends. */
const prism = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const all = [...args, "--host", "127.0.0.1", "--port", "0"]
  const { found, said } = yield* Effect.acquireRelease(
    Effect.sync(() => started(binary("prism"), all, options, /Prism is listening on (?<url>http:[\w.:/]+)/)),
    ({ stop }) => Effect.sync(stop)
  )
  const { url = "" } = yield* Effect.tryPromise({ try: () => found, catch: objection })
  return { url, lines: () => stripVTControlCharacters(said()).split("\n") }
})

const expect = (holds: boolean, message: string) => (holds ? Effect.void : Effect.fail(objection(message)))

/**
 * The SDK against a service at an address. With Node's client a file of a known size has a Content-Length: Prism forwards
 * `Transfer-Encoding: chunked` beside a length of its own, which no server accepts.
 */
const sdkAt = (url: string, apiKey: Redacted.Redacted) =>
  Custody.layer({ environment: Environment.emulator(url), apiKey }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )

/** What Prism says of a request or an answer that is not as the document says. */
const violations = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => /violation|did not pass|✖ {2}error/i.test(line))

const emulator = Layer.fresh(
  CustodyEmulator.layerServer({ durations: { pendingFor: "50 millis", broadcastingFor: "50 millis" } })
)

const redocly = Effect.fnUntraced(function* (file: string) {
  const report = yield* said("redocly", "lint", "--extends", "recommended", "--format", "json", file)
  const { totals } = JSON.parse(report.slice(report.indexOf("{"), report.lastIndexOf("}") + 1))
  yield* expect(totals.errors + totals.warnings === 0, report)
  return "recommended: no error, no warning"
})

const spectral = Effect.as(
  said("spectral", "lint", "--fail-severity", "hint", "--ruleset", Path.join(home, "spectral.yaml"), document),
  "spectral:oas: no result"
)

const compile = Effect.gen(function* () {
  yield* said("openapi-typescript", document, "--output", Path.join(generated, "api.ts"))
  yield* said("tsc", "--project", Path.join(home, "client"))
  return "the types compile, strict"
})

const prismProxy = Effect.gen(function* () {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  const apiKey = yield* issueApiKey()
  const { lines, url } = yield* prism("proxy", document, baseUrl, "--errors")
  const results = yield* callEach.pipe(
    Effect.provide(sdkAt(url, apiKey)),
    Effect.mapError((error) => objection(`${String(error)}\n${lines().slice(-20).join("\n")}`))
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
  if (results.some(Result.isFailure)) return yield* objection("the document has violations")
})

NodeRuntime.runMain(program)
