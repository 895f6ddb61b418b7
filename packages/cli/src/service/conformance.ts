/** `custody conformance`: checks any server against the specification. */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ContractFiles from "./contractFiles.ts"
import * as Service from "./environment.ts"
import * as Output from "../terminal/output.ts"

const flags = {
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("The base address of the service, such as https://acme.custody.example/api/integration"),
    Flag.withMetavar("URL"),
    Flag.optional
  ),
  awaitExpiry: Flag.String("await-expiry").pipe(
    Flag.withDescription(`Longest wait for the access token to expire, such as "20 minutes"; default: none`),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.DurationFromString),
    Flag.optional
  ),
  contract: ContractFiles.flag,
  json: Output.json
}

// oxlint-disable-next-line no-restricted-imports -- the checks belong to the test kit: only this command loads it.
const loadChecks = Effect.promise(() => import("@effect-custody/testing/Conformance"))

/** The token lifetime, short so that the run can wait for the expiry. */
const emulatorLifetime = Duration.seconds(2)

const againstEmulator = Effect.gen(function* () {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  const Conformance = yield* loadChecks
  return yield* Conformance.run({ awaitExpiry: emulatorLifetime, baseUrl, apiKey: yield* issueApiKey() })
}).pipe(Effect.provide(CustodyEmulator.layerServer({ tokenLifetime: emulatorLifetime })))

const unusedKey = Effect.filterOrFail(
  Output.orFail(EnvironmentConfig.apiKey),
  (key) => key !== undefined,
  () => Output.failure("--base-url needs an unused API key in CUSTODY_API_KEY")
)

export const command = CliCommand.make(
  "conformance",
  flags,
  Effect.fnUntraced(function* ({ awaitExpiry, baseUrl, contract, json }) {
    if (Option.isNone(baseUrl)) {
      // The run would check an emulator instead.
      if ((yield* Output.orFail(Service.found)) !== undefined) {
        return yield* Output.failure(
          "the environment names a service, but only --base-url chooses what is checked: give it, which spends an API " +
            "key of that service, or unset what names one to check an emulator"
        )
      }
    }
    const Conformance = yield* loadChecks
    const report = yield* (
      Option.isSome(baseUrl)
        ? Conformance.run({
            awaitExpiry: Option.getOrUndefined(awaitExpiry),
            baseUrl: baseUrl.value,
            apiKey: yield* unusedKey
          })
        : againstEmulator
    ).pipe(Effect.provide(Layer.merge(FetchHttpClient.layer, ContractFiles.layer(contract))), Output.orFail)
    yield* json ? Output.value(report) : Output.lines(Conformance.lines(report))
    const { length } = Conformance.deviations(report)
    if (length > 0)
      return yield* Output.failure(`${length} ${length === 1 ? "statement deviates" : "statements deviate"}`)
    if (report.cutShort !== undefined) return yield* Output.failure(report.cutShort)
  })
).pipe(
  CliCommand.withDescription(
    "Checks a server against the specification: no money moves, and the API key is spent. Without --base-url it checks " +
      "an emulator. Exits with 0 if nothing deviates"
  )
)
