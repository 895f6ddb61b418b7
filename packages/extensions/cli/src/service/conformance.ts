/** `custody conformance`: checks any server against the specification. */
import * as EnvironmentConfig from "@effect-custody/sdk/EnvironmentConfig"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Output from "../terminal/output.ts"

const flags = {
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("The base address of the service, such as https://acme.custody.example/api/integration"),
    Flag.withMetavar("URL")
  ),
  awaitExpiry: Flag.String("await-expiry").pipe(
    Flag.withDescription(`Longest wait for the access token to expire, such as "20 minutes"; default: none`),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.DurationFromString),
    Flag.optional
  ),
  json: Output.json
}

// oxlint-disable-next-line no-restricted-imports -- the checks belong to the test kit: only this command loads it.
const loadChecks = Effect.promise(() => import("@effect-custody/testing/Conformance"))

const unusedKey = Effect.filterOrFail(
  Output.orFail(EnvironmentConfig.apiKey),
  (key) => key !== undefined,
  () => Output.failure("an unused API key is needed, in CUSTODY_API_KEY")
)

export const command = CliCommand.make(
  "conformance",
  flags,
  Effect.fnUntraced(function* ({ awaitExpiry, baseUrl, json }) {
    const Conformance = yield* loadChecks
    const apiKey = yield* unusedKey
    const report = yield* Conformance.run({
      awaitExpiry: Option.getOrUndefined(awaitExpiry),
      baseUrl,
      apiKey
    }).pipe(Effect.provide(FetchHttpClient.layer), Output.orFail)
    yield* json ? Output.value(report) : Output.lines(Conformance.lines(report))
    const { length } = Conformance.deviations(report)
    if (length > 0)
      return yield* Output.failure(`${length} ${length === 1 ? "statement deviates" : "statements deviate"}`)
    if (report.cutShort !== undefined) return yield* Output.failure(report.cutShort)
  })
).pipe(
  CliCommand.withDescription(
    "Checks a server against the specification: no money moves, and the API key is spent. Exits with 0 if nothing deviates"
  )
)
