/**
 * The command `custody`: everything that an operator does with the SDK.
 *
 * @since 0.1.0
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Conformance from "@effect-custody/conformance/Command"
import * as Emulator from "@effect-custody/emulator/Command"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type * as Runtime from "effect/Runtime"
import * as Call from "./internal/call.ts"
import * as Contract from "./internal/contract.ts"
import * as OpenApi from "./internal/openApi.ts"
import * as Session from "./internal/session.ts"
import { version } from "./internal/version.ts"

/**
 * The command, for a program that runs it itself, with arguments of its own.
 *
 * @since 0.1.0
 * @category commands
 */
export const command = CliCommand.make("custody").pipe(
  CliCommand.withDescription(
    "Commands for operators of the custody service. Exits with 0, or with 1 if something fails or is wrong"
  ),
  CliCommand.withSubcommands([
    Contract.command,
    Session.command,
    Call.command,
    OpenApi.command,
    Conformance.make("conformance"),
    Emulator.make("emulator")
  ])
)

/**
 * Runs the command with the arguments of the process.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(command, { version }).pipe(Effect.provide(NodeServices.layer))

/**
 * Exits with 0 when a signal stops the emulator: that is its normal end.
 *
 * @since 0.1.0
 * @category commands
 */
export const teardown: Runtime.Teardown = Emulator.teardown
