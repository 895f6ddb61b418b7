/**
 * The command `custody-emulator`, which runs the emulator as a process.
 *
 * @since 0.1.0
 */
import { styleText } from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CustodyEmulator } from "./CustodyEmulator.ts"
import * as UsageError from "./control/UsageError.ts"
import * as SnapshotFile from "./control/snapshotFile.ts"
import { defaults } from "./model/defaults.ts"
import * as FaultProfiles from "./model/faultProfiles.ts"
import type { Received } from "./model/Received.ts"
import { basePath } from "./service/routes.ts"
import { version } from "./internal/version.ts"

const duration = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.DurationFromString),
    Flag.optional
  )

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port to listen on; 0 chooses a free port"),
    Flag.withSchema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))),
    Flag.withDefault(0)
  ),
  host: Flag.String("host").pipe(Flag.withDescription("Address to listen on"), Flag.withDefault("127.0.0.1")),
  tokenLifetime: duration(
    "token-lifetime",
    `Lifetime of access tokens, such as "2 seconds"; default: from the snapshot, else 15 minutes`
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Derives all keys and tokens from this number; default: random"),
    Flag.optional
  ),
  latency: duration("latency", 'Delay of every answer, such as "150 millis"; default: 0'),
  pendingFor: duration(
    "pending",
    `How long a send is PENDING; default: ${Duration.format(defaults.durations.pendingFor)}`
  ),
  broadcastingFor: duration(
    "broadcasting",
    `How long a send is then BROADCASTING; default: ${Duration.format(defaults.durations.broadcastingFor)}`
  ),
  transferringFor: duration("transferring", "How long a transfer within the vault is PENDING; default: 0"),
  faults: Flag.Literals("faults", FaultProfiles.names).pipe(
    Flag.withDescription(
      FaultProfiles.names.map((name) => `${name}: ${FaultProfiles.profiles[name].description}`).join(". ")
    ),
    Flag.optional
  ),
  snapshot: Flag.String("snapshot").pipe(
    Flag.withDescription(
      "Continues from this file, if it exists; saves the state to it at the end and on POST /emulator/snapshot. " +
        "The file holds the emulator's keys and tokens"
    ),
    Flag.withMetavar("FILE"),
    Flag.optional
  ),
  quiet: Flag.Boolean("quiet").pipe(Flag.withDescription("Print no line per request"), Flag.withDefault(false))
}

type Flags = CliCommand.Command.Config.Infer<typeof flags>

const resolveSettings = Effect.fnUntraced(function* (flags: Flags) {
  const { broadcastingFor, host, latency, pendingFor, port, tokenLifetime, transferringFor } = flags
  const snapshotFile = Option.getOrUndefined(flags.snapshot)
  const snapshot = snapshotFile === undefined ? undefined : yield* SnapshotFile.load(snapshotFile)
  const seed = Option.getOrUndefined(flags.seed) ?? (snapshot === undefined ? yield* Random.nextInt : undefined)
  const durations = Record.getSomes({ broadcastingFor, latency, pendingFor, transferringFor })
  return {
    host,
    port,
    seed,
    faults: Option.getOrUndefined(flags.faults),
    snapshot,
    snapshotFile,
    tokenLifetime: Option.getOrUndefined(tokenLifetime),
    durations
  }
})

type Style = Parameters<typeof styleText>[0]

/**
 * Formats a request as a line for the console: the time, status, method, path, query, body, operation, error code,
 * session and generation of the token, duration, and fault. Node decides whether the output has colours.
 */
const consoleLine = (received: Received): string => {
  const { at, body, code, fault, method, operation, path, query, status, token, took } = received
  const statusStyle = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green"
  const parts: ReadonlyArray<readonly [style: Style, text: string | undefined]> = [
    ["dim", DateTime.formatIso(at).slice(11, 23)],
    [statusStyle, String(status ?? "---")],
    ["cyan", method.padEnd(6)],
    [
      "none",
      (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path) + (query === undefined ? "" : `?${query}`)
    ],
    ["none", body],
    ["dim", operation ?? "no operation"],
    [statusStyle, code],
    ["none", token?.generation === undefined ? undefined : `s${token.session} g${token.generation}`],
    ["dim", took === undefined ? undefined : `${took < 10 ? took.toFixed(1) : took.toFixed(0)} ms`],
    ["magenta", fault && `fault: ${fault}`]
  ]
  return parts.flatMap(([style, text]) => (text === undefined ? [] : [styleText(style, text)])).join("  ")
}

const run = Effect.fnUntraced(function* ({ quiet }: Flags) {
  const emulator = yield* CustodyEmulator
  const { tokenLifetime } = yield* emulator.settings
  const { origin } = new URL(emulator.baseUrl)
  yield* Console.log(`custody-emulator listening on ${emulator.baseUrl}`)
  yield* Console.log(`To reach it: export CUSTODY_ENVIRONMENT=emulator CUSTODY_BASE_URL=${emulator.baseUrl}`)
  yield* Console.log(`API key: ${Redacted.value(yield* emulator.issueApiKey())}`)
  yield* Console.log(
    `Access tokens live ${Duration.format(tokenLifetime)} · page: ${origin}/ · reference: ${origin}/docs · ` +
      "money for a client: POST /emulator/fund"
  )
  yield* Console.log(`Another key: curl -sX POST ${origin}/emulator/api-keys | cut -d '"' -f 4`)
  if (quiet) return yield* Effect.never
  return yield* Stream.runForEach(emulator.requests, (request) => Console.log(consoleLine(request)))
})

/**
 * Makes the command with a name, such as `custody-emulator` or the name of a subcommand.
 *
 * @since 0.1.0
 * @category commands
 */
export const make = <const Name extends string>(name: Name) =>
  CliCommand.make(
    name,
    flags,
    Effect.fnUntraced(
      function* (flags) {
        const settings = yield* resolveSettings(flags)
        const server = CustodyEmulator.layerServer(settings)
        yield* Effect.provide(run(flags), server)
      },
      Effect.catchTag(["ConfigurationInvalid", "ServeError"], (error) => {
        const { message } = error._tag === "ServeError" && error.cause instanceof Error ? error.cause : error
        return Effect.fail(new CliError.UserError({ cause: error, userMessage: message }))
      })
    )
  ).pipe(CliCommand.withDescription("A stateful emulator of the custody service, for development and tests"))

/**
 * Runs the command `custody-emulator` with the arguments of the process, until it is interrupted.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(make("custody-emulator"), { version }).pipe(
  Effect.provide([NodeServices.layer, UsageError.layer])
)

/**
 * Exits with 0 when a signal stops the command, because a signal is the normal way to stop it.
 *
 * @since 0.1.0
 * @category commands
 */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
