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
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CustodyEmulator } from "./CustodyEmulator.ts"
import * as Lines from "./internal/lines.ts"
import * as Profiles from "./internal/profiles.ts"
import * as SnapshotFile from "./internal/snapshotFile.ts"
import { version } from "./internal/version.ts"
import { defaults, type Options } from "./Options.ts"

const duration = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(Schema.DurationFromString), Flag.optional)

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port to listen on; 0 takes any free one"),
    Flag.withSchema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))),
    Flag.withDefault(0)
  ),
  host: Flag.String("host").pipe(Flag.withDescription("Address to listen on"), Flag.withDefault("127.0.0.1")),
  tokenLifetime: Flag.String("token-lifetime").pipe(
    Flag.withDescription(
      `How long access tokens live, such as "2 seconds"; from the profile or the snapshot, or 15 minutes`
    ),
    Flag.withSchema(Schema.DurationFromString),
    Flag.optional
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Every key and token follows from it; any other each time if it is left out"),
    Flag.optional
  ),
  latency: duration("latency", "How long every answer is on its way; from the profile, or not at all"),
  pendingFor: duration("pending", `How long a send is pending; ${Duration.format(defaults.durations.pendingFor)}`),
  broadcastingFor: duration(
    "broadcasting",
    `How long a send is broadcasting after that; ${Duration.format(defaults.durations.broadcastingFor)}`
  ),
  transferringFor: duration("transferring", "How long a transfer within the vault is pending; not at all"),
  faults: Flag.Literals("faults", Profiles.names).pipe(
    Flag.withDescription(Profiles.names.map((name) => `${name}: ${Profiles.profiles[name].description}`).join(". ")),
    Flag.optional
  ),
  snapshot: Flag.String("snapshot").pipe(
    Flag.withDescription(
      "Goes on from what this file says, if it is there; saves to it at the end, and on POST /emulator/snapshot. " +
        "It will hold the emulator's keys and tokens"
    ),
    Flag.withMetavar("FILE"),
    Flag.optional
  ),
  quiet: Flag.Boolean("quiet").pipe(Flag.withDescription("No line per request"), Flag.withDefault(false))
}

const reasonOf = (error: ConfigurationInvalid | ServeError): string =>
  error._tag === "ServeError" && error.cause instanceof Error ? error.cause.message : error.message

type Given = CliCommand.Command.Config.Infer<typeof flags>

/** What is said on the command line goes before the profile, and that before the snapshot. */
const settingsOf = Effect.fnUntraced(function* (given: Given) {
  const { broadcastingFor, faults, host, latency, pendingFor, port, tokenLifetime, transferringFor } = given
  const snapshotFile = Option.getOrUndefined(given.snapshot)
  const snapshot = snapshotFile === undefined ? undefined : yield* SnapshotFile.load(snapshotFile)
  const seed = Option.getOrUndefined(given.seed) ?? (snapshot === undefined ? yield* Random.nextInt : undefined)
  const options: Options = (Option.isSome(faults) ? Profiles.profiles[faults.value].options : undefined) ?? {}
  const durations = Record.getSomes({ broadcastingFor, latency, pendingFor, transferringFor })
  return {
    ...options,
    host,
    port,
    seed,
    snapshot,
    snapshotFile,
    tokenLifetime: Option.getOrElse(tokenLifetime, () => options.tokenLifetime),
    durations: { ...options.durations, ...durations }
  }
})

const run = Effect.fnUntraced(function* ({ faults, quiet }: Given) {
  const emulator = yield* CustodyEmulator
  if (Option.isSome(faults)) {
    for (const [operation, fault] of Profiles.profiles[faults.value].faults) {
      yield* emulator.faults.next(operation, fault, { times: Infinity })
    }
  }
  const { tokenLifetime } = yield* emulator.settings
  const { origin } = new URL(emulator.baseUrl)
  yield* Console.log(`custody-emulator listening on ${emulator.baseUrl}`)
  yield* Console.log(`API key: ${Redacted.value(yield* emulator.issueApiKey())}`)
  yield* Console.log(
    `Access tokens live ${Duration.format(tokenLifetime)} · page: ${origin}/ · reference: ${origin}/docs · ` +
      "more keys: POST /emulator/api-keys"
  )
  const write = Lines.writer(Lines.inColour(process.env, process.stdout.isTTY))
  return yield* quiet ? Effect.never : Stream.runForEach(emulator.exchanges, (received) => Console.log(write(received)))
})

const command = CliCommand.make(
  "custody-emulator",
  flags,
  Effect.fnUntraced(
    function* (flags) {
      const settings = yield* settingsOf(flags)
      yield* Effect.provide(run(flags), CustodyEmulator.layerServer(settings))
    },
    Effect.catchTag(["ConfigurationInvalid", "ServeError"], (error) =>
      Effect.fail(new CliError.UserError({ cause: error, userMessage: reasonOf(error) }))
    )
  )
).pipe(CliCommand.withDescription("A stateful stand-in for the custody service, for development and tests"))

/** Runs the command with the arguments of the process, until it is interrupted. */
export const main = CliCommand.run(command, { version }).pipe(Effect.provide(NodeServices.layer))

/** To be stopped by a signal is how the command ends: that is no failure. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
