/** Prints tables and JSON on standard output, with colors only on a terminal. */
import { escapeInvisible } from "@effect-custody/core/Text"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** `--yes` answers the question of a command. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Do not ask for confirmation, for example in a script"),
  Flag.withDefault(false)
)

/** A failure with exit code 1 and a message for the user. Indents each line like the first. */
export const failure = (message: string, cause?: unknown): CliError.UserError =>
  new CliError.UserError({ cause, userMessage: message.split("\n").map(escapeInvisible).join("\n  ") })

/** Ends a command with exit code 2: the command has said what a person has to look at. */
export class Open extends Schema.TaggedError<Open>()("Open", {}) {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return "something is open"
  }
}

/** The message of an error, in plain words for a file that is missing or closed to this user. */
const describe = (error: { readonly message: string }): string => {
  if (!PlatformError.isPlatformError(error)) return error.message
  const { reason } = error
  if (reason._tag === "NotFound") return `there is no ${reason.pathOrDescriptor}`
  return reason._tag === "PermissionDenied" ? `this user may not use ${reason.pathOrDescriptor}` : error.message
}

export const isUserError = Schema.is(CliError.UserError)
const isOpen = Schema.is(Open)

/** Turns the error of an effect into a {@link failure}. Leaves {@link Open} as it is. */
export const orFail = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, CliError.UserError | (E & Open), R> =>
  Effect.mapError(effect, (error) => (isOpen(error) || isUserError(error) ? error : failure(describe(error), error)))

/** Begins and ends the name of a tone in a line. No text from elsewhere contains it. */
const mark = randomUUID()

/** A line as the terminal gets it: it has no color and no escape sequence but those of {@link paint}. */
const shown = (line: string): string =>
  line
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? escapeInvisible(part) : `\u001b[${part}m`))
    .join("")

/** Prints lines. A line break inside one is shown as an escape, so that no text adds a line. */
export const lines = (all: Iterable<string>): Effect.Effect<void> =>
  Effect.forEach(all, (line) => Console.log(shown(line)), { discard: true })

/** The lines of a text that may have several, such as a request. */
export const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r?\n/)

/** Prints JSON. Escapes in it change nothing. */
export const value = (json: unknown): Effect.Effect<void> => lines(linesOf(JSON.stringify(json, undefined, 2)))

/** Aligns columns by the width of their texts on a terminal: an ideograph takes two places. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const width = (cell: string) => CliOutput.displayWidth(escapeInvisible(cell))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? "")))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat(widths[column]! - width(cell)))
      .join("  ")
      .trimEnd()
  )
}

/** The tone of a text. */
type Tone = "good" | "doubtful" | "bad" | "aside"

const codes: Readonly<Record<Tone, number>> = { good: 32, doubtful: 33, bad: 31, aside: 2 }

export type Paint = (tone: Tone, text: string) => string

/** Colors a text if the output shows colors. */
export const paint: Effect.Effect<Paint> = Effect.map(
  TerminalCapabilities.TerminalCapabilities,
  ({ canColor }) =>
    (tone, text) =>
      canColor ? `${mark}${codes[tone]}${mark}${text}${mark}0${mark}` : text
)

/** Asks before a command sends or changes anything. Without a terminal, `--yes` is required. */
export const ask = Effect.fnUntraced(function* (question: string, yes: boolean) {
  if (yes) return
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) return yield* failure("no terminal to ask for confirmation: use --yes. Nothing was done")
  if (!(yield* Prompt.Confirm({ message: escapeInvisible(question) }))) return yield* failure("nothing was done")
})
