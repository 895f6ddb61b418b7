/**
 * The command `custody`: everything that an operator does with the SDK.
 *
 * @since 0.1.0
 */
import * as UsageError from "@effect-custody/emulator/siblings/UsageError"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Emulator from "@effect-custody/emulator/Command"
import * as Cause from "effect/Cause"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as Call from "./service/call.ts"
import * as Conformance from "./service/conformance.ts"
import * as Contract from "./contract/contract.ts"
import * as Mcp from "./mcp/mcp.ts"
import * as OpenApi from "./service/openApi.ts"
import * as PayoutsCommand from "./payouts/payouts.ts"
import * as Session from "./session/session.ts"
import { version } from "./internal/version.ts"

/**
 * The command, for a program that runs it itself, with arguments of its own.
 *
 * @since 0.1.0
 * @category commands
 */
export const command = CliCommand.make("custody").pipe(
  CliCommand.withDescription(
    "For operators of the custody service. Exits with 0, 1 if something is wrong, 2 if a person has to look at something, 130 if interrupted"
  ),
  CliCommand.withSubcommands([
    Contract.command,
    Session.command,
    Call.command,
    PayoutsCommand.command,
    Mcp.command,
    OpenApi.command,
    Conformance.command,
    Emulator.make("emulator")
  ])
)

/** Reports failures on standard error. `NodeRuntime.runMain` would print them on standard output. */
const reported = (cause: Cause.Cause<unknown>) =>
  !Cause.hasInterruptsOnly(cause) && Runtime.getErrorReported(Cause.squash(cause))
    ? Effect.logError(cause)
    : Effect.void

/**
 * Runs the command with the arguments of the process. Log lines and failures go to standard error, so run it with
 * `disableErrorReporting`.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(command, { version }).pipe(
  Effect.tapCause(reported),
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provide([NodeServices.layer, UsageError.layer])
)

const codeOf: Runtime.Teardown = process.argv[2] === "emulator" ? Emulator.teardown : Runtime.defaultTeardown

/** Calls back when a reader, however slow, has taken what was written to a stream, or has gone. */
const whenWritten = (stream: NodeJS.WriteStream, then: () => void) => stream.write("", then)

/**
 * Exits with 0 when a signal stops the emulator, and with 130 when it stops any other command. A process that exits drops
 * what a slow reader of a pipe has not taken yet, so the exit waits for it.
 *
 * @since 0.1.0
 * @category commands
 */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  codeOf(exit, (code) => whenWritten(process.stdout, () => whenWritten(process.stderr, () => onExit(code))))
