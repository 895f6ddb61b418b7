/**
 * The command `custody-conformance`: checks any server against the specification.
 *
 * @since 0.1.0
 */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import { trimmed } from "@effect-custody/core/Text"
import * as WireContract from "@effect-custody/core/WireContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Conformance from "./Conformance.ts"
import { version } from "./internal/version.ts"

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
  keepSession: Flag.Boolean("keep-session").pipe(
    Flag.withDescription("Skip the reuse of a spent refresh token, which can revoke the session"),
    Flag.withDefault(false)
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
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the report as JSON"), Flag.withDefault(false))
}

const failure = (message: string, cause?: unknown) => new CliError.UserError({ cause, userMessage: message })

/** Short, so that the run can wait for the expiry. */
const emulatorLifetime = Duration.seconds(2)

const emulator = CustodyEmulator.layerServer({ tokenLifetime: emulatorLifetime })

const contractOf = Option.match({
  onNone: () => Layer.empty,
  onSome: (file: string) => WireContract.layerFile(file, CustodyApi)
})

const ofService = ["CUSTODY_BASE_URL", "CUSTODY_SUBDOMAIN", "CUSTODY_HOST", "CUSTODY_ENVIRONMENT"]

/** Fails if the environment names a service: an emulator would be checked in its place. */
const assertNoService = Effect.gen(function* () {
  const values = yield* Effect.forEach(ofService, (name) => Config.option(Config.NonEmptyString(name)))
  const named = ofService.filter((_, at) => Option.isSome(values[at]!))
  if (named.length === 0) return
  return yield* failure(
    `the environment names a service (${named.join(", ")}), but only --base-url chooses what is checked: give it, which ` +
      "spends an API key of that service, or unset what names one to check an emulator"
  )
})

/** Checks an emulator that is started for the run. */
const againstEmulator = (options: Pick<Parameters<typeof Conformance.run>[0], "awaitExpiry" | "keepSession">) =>
  Effect.gen(function* () {
    const { baseUrl, issueApiKey } = yield* CustodyEmulator
    return yield* Conformance.run({ awaitExpiry: emulatorLifetime, ...options, baseUrl, apiKey: yield* issueApiKey() })
  }).pipe(Effect.provide(emulator))

const encode = Schema.encodeEffect(Schema.fromJsonString(Conformance.Report))

/** Why the command fails, if it does. */
const failureOf = (report: Conformance.Report): string | undefined => {
  const { length } = Conformance.deviations(report)
  if (length > 0) return `${length} ${length === 1 ? "statement deviates" : "statements deviate"}`
  return report.cutShort
}

/**
 * The command under a name: `custody-conformance`, or as a part of another one. It runs the checks and prints the report,
 * and fails if a statement deviates, or if the run was cut short.
 *
 * @since 0.1.0
 * @category commands
 */
export const make = <const Name extends string>(name: Name) =>
  CliCommand.make(
    name,
    flags,
    Effect.fnUntraced(function* ({ apiKey, awaitExpiry, baseUrl, contract, json, keepSession }) {
      const options = { keepSession, ...(Option.isNone(awaitExpiry) ? {} : { awaitExpiry: awaitExpiry.value }) }
      if (Option.isNone(baseUrl) && Option.isSome(apiKey)) return yield* failure("--api-key needs --base-url")
      if (Option.isNone(baseUrl)) yield* assertNoService
      const key = Option.isSome(apiKey) ? apiKey.value : yield* EnvironmentConfig.apiKey
      if (Option.isSome(baseUrl) && (key === undefined || Redacted.value(key) === "")) {
        return yield* failure("--base-url needs an unused API key: CUSTODY_API_KEY, or --api-key")
      }
      const report = yield* (
        Option.isSome(baseUrl) && key !== undefined
          ? Conformance.run({ ...options, baseUrl: baseUrl.value, apiKey: key })
          : againstEmulator(options)
      ).pipe(
        Effect.provide(Layer.merge(FetchHttpClient.layer, contractOf(contract))),
        Effect.mapError((error) => failure(error.message, error))
      )
      if (json) yield* Console.log(yield* Effect.orDie(encode(report)))
      else yield* Effect.forEach(Conformance.lines(report), (line) => Console.log(line), { discard: true })
      const reason = failureOf(report)
      if (reason !== undefined) return yield* failure(reason)
    })
  ).pipe(
    CliCommand.withDescription(
      "Checks a server against the specification's observable statements, over raw HTTP. It opens a session and reads the " +
        "vault's details: no money moves. It spends the API key and discards the session. Without --base-url it starts " +
        "an emulator and checks that, unless CUSTODY_BASE_URL or CUSTODY_HOST names a service. With --contract, requests and answers follow the contract. Exits with 0 if nothing deviates."
    )
  )

/**
 * Runs the command `custody-conformance` with the arguments of the process. Needs the platform's services, such as `NodeServices.layer`.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(make("custody-conformance"), { version })
