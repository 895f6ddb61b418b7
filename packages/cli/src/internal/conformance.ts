/** `custody conformance`: checks any server against the specification. */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import { trimmed } from "@effect-custody/core/Text"
import * as WireContract from "@effect-custody/core/WireContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Conformance from "@effect-custody/testing/Conformance"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Output from "./output.ts"

const flags = {
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("The base address of the service, such as https://acme.custody.example/api/integration"),
    Flag.withMetavar("URL"),
    Flag.optional
  ),
  apiKey: Flag.Redacted("api-key").pipe(
    Flag.withDescription("An unused API key, which the run spends; set CUSTODY_API_KEY to hide it from process lists"),
    Flag.withMetavar("KEY"),
    Flag.map(trimmed),
    Flag.optional
  ),
  awaitExpiry: Flag.String("await-expiry").pipe(
    Flag.withDescription(`Longest wait for the access token to expire, such as "20 minutes"; default: none`),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.DurationFromString),
    Flag.optional
  ),
  contract: Flag.File("contract").pipe(
    Flag.withDescription("The contract file whose wire is checked; default: the specified wire"),
    Flag.withMetavar("FILE"),
    Flag.optional
  ),
  json: Output.json
}

/** Short, so that the run can wait for the expiry. */
const emulatorLifetime = Duration.seconds(2)

const contractOf = Option.match({
  onNone: () => Layer.empty,
  onSome: (file: string) => WireContract.layerFile(file, CustodyApi)
})

const variables = ["CUSTODY_BASE_URL", "CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"]

/** Fails if the environment names a service: an emulator would be checked in its place. */
const assertNoService = Effect.gen(function* () {
  const values = yield* Effect.forEach(variables, (name) => Config.option(Config.NonEmptyString(name)))
  const named = variables.filter((_, at) => Option.isSome(values[at]!))
  if (named.length === 0) return
  return yield* Output.failure(
    `the environment names a service (${named.join(", ")}), but only --base-url chooses what is checked: give it, which ` +
      "spends an API key of that service, or unset what names one to check an emulator"
  )
})

/** Checks an emulator that is started for the run. */
const againstEmulator = Effect.fnUntraced(
  function* (awaitExpiry: Duration.Duration | undefined) {
    const { baseUrl, issueApiKey } = yield* CustodyEmulator
    return yield* Conformance.run({
      awaitExpiry: awaitExpiry ?? emulatorLifetime,
      baseUrl,
      apiKey: yield* issueApiKey()
    })
  },
  Effect.provide(CustodyEmulator.layerServer({ tokenLifetime: emulatorLifetime }))
)

/** The API key of a run against a service. */
const keyOf = Effect.fnUntraced(function* (given: Option.Option<Redacted.Redacted>) {
  const key = Option.isSome(given) ? given.value : yield* Output.orFail(EnvironmentConfig.apiKey)
  return key !== undefined && Redacted.value(key) !== ""
    ? key
    : yield* Output.failure("--base-url needs an unused API key: CUSTODY_API_KEY, or --api-key")
})

/** Why the command fails, if it does. */
const failureOf = (report: Conformance.Report): string | undefined => {
  const { length } = Conformance.deviations(report)
  if (length > 0) return `${length} ${length === 1 ? "statement deviates" : "statements deviate"}`
  return report.cutShort
}

export const command = CliCommand.make(
  "conformance",
  flags,
  Effect.fnUntraced(function* ({ apiKey, awaitExpiry, baseUrl, contract, json }) {
    const longest = Option.getOrUndefined(awaitExpiry)
    if (Option.isNone(baseUrl)) {
      if (Option.isSome(apiKey)) return yield* Output.failure("--api-key needs --base-url")
      yield* Output.orFail(assertNoService)
    }
    const report = yield* (
      Option.isSome(baseUrl)
        ? Conformance.run({ awaitExpiry: longest, baseUrl: baseUrl.value, apiKey: yield* keyOf(apiKey) })
        : againstEmulator(longest)
    ).pipe(Effect.provide(Layer.merge(FetchHttpClient.layer, contractOf(contract))), Output.orFail)
    yield* json ? Output.value(report) : Output.lines(Conformance.lines(report))
    const reason = failureOf(report)
    if (reason !== undefined) return yield* Output.failure(reason)
  })
).pipe(
  CliCommand.withDescription(
    "Checks a server against the specification's observable statements, over raw HTTP. It opens a session and reads the " +
      "vault's details: no money moves. It spends the API key and discards the session. Without --base-url it starts " +
      "an emulator and checks that, unless the environment names a service. Exits with 0 if nothing deviates"
  )
)
