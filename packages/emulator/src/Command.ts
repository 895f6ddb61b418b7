/** The command `custody-emulator`: the emulator as a process of its own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ServeError } from "effect/http/HttpServerError"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CustodyEmulator } from "./CustodyEmulator.ts"
import { defaults } from "./Options.ts"
import type { Received } from "./Received.ts"

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port to listen on; 0 takes any free one"),
    Flag.withSchema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))),
    Flag.withDefault(0)
  ),
  host: Flag.String("host").pipe(Flag.withDescription("Address to listen on"), Flag.withDefault("127.0.0.1")),
  tokenLifetime: Flag.String("token-lifetime").pipe(
    Flag.withDescription(`How long access tokens live, such as "15 minutes" or "2 seconds"`),
    Flag.withSchema(Schema.DurationFromString),
    Flag.withDefault(defaults.tokenLifetime)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Every key and token follows from it; any other each time if it is left out"),
    Flag.optional
  ),
  quiet: Flag.Boolean("quiet").pipe(Flag.withDescription("No line per request"), Flag.withDefault(false))
}

const line = ({ code, fault, method, operation, path, sequence, status }: Received): string =>
  [
    `#${sequence}`,
    status ?? "no answer",
    ...(code === undefined ? [] : [code]),
    method,
    path,
    ...(operation === undefined ? [] : [`(${operation})`]),
    ...(fault === undefined ? [] : [`fault: ${fault}`])
  ].join(" ")

const reasonOf = (error: ConfigurationInvalid | ServeError): string =>
  error._tag === "ServeError" && error.cause instanceof Error ? error.cause.message : error.message

const command = CliCommand.make(
  "custody-emulator",
  flags,
  Effect.fnUntraced(function* ({ host, port, quiet, seed, tokenLifetime }) {
    const settings = {
      host,
      port,
      tokenLifetime,
      seed: Option.getOrElse(seed, () => undefined) ?? (yield* Random.nextInt)
    }
    yield* Effect.gen(function* () {
      const { baseUrl, exchanges, issueApiKey } = yield* CustodyEmulator
      yield* Console.log(`custody-emulator listening on ${baseUrl}`)
      yield* Console.log(`API key: ${Redacted.value(yield* issueApiKey())}`)
      yield* Console.log(`Access tokens live ${Duration.format(tokenLifetime)}. More keys: POST /emulator/api-keys`)
      return yield* quiet ? Effect.never : Stream.runForEach(exchanges, (received) => Console.log(line(received)))
    }).pipe(
      Effect.provide(CustodyEmulator.layerServer(settings)),
      Effect.catchTag(["ConfigurationInvalid", "ServeError"], (error) =>
        Effect.fail(new CliError.UserError({ cause: error, userMessage: reasonOf(error) }))
      )
    )
  })
).pipe(CliCommand.withDescription("A stateful stand-in for the custody service, for development and tests"))

/** Runs the command with the arguments of the process, until it is interrupted. */
export const main = CliCommand.run(command, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer))

/** To be stopped by a signal is how the command ends: that is no failure. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
