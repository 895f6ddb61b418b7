/** What the commands print: tables and JSON on standard output, colours on a terminal only. */
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** `--yes`, which answers the question that a command asks. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Do not ask for confirmation, for example in a script"),
  Flag.withDefault(false)
)

/** Shows invisible characters as escapes, except colours and new lines: a terminal obeys no document and no service. */
const visible = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the ones that are looked for.
  text.replaceAll(/(?!\n|\u001b\[\d+m)\p{C}/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)

/** An end with exit code 1 that is shown to the user, each line indented as the first is. */
export const failure = (message: string, cause?: unknown): CliError.UserError =>
  new CliError.UserError({ cause, userMessage: visible(message).replaceAll("\n", "\n  ") })

/** The same for an effect whose error says in its message what to do. */
export const orFail = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, CliError.UserError, R> => Effect.mapError(effect, (error) => failure(error.message, error))

export const lines = (all: Iterable<string>): Effect.Effect<void> =>
  Effect.forEach(all, (line) => Console.log(visible(line)), { discard: true })

export const formatJson = (json: unknown): string => JSON.stringify(json, undefined, 2)

export const value = (json: unknown): Effect.Effect<void> => Console.log(formatJson(json))

export const out = (fallback: string) =>
  Flag.String("out").pipe(
    Flag.withDescription("The file to write; - is standard output"),
    Flag.withMetavar("FILE"),
    Flag.withDefault(fallback)
  )

export const force = Flag.Boolean("force").pipe(
  Flag.withDescription("Replace the file if it exists"),
  Flag.withDefault(false)
)

/** Writes a value as JSON to a file and says so, or prints it where the file is `-`. Replaces a file only by `--force`. */
export const write = (file: string, json: unknown, said: string, force?: boolean) =>
  file === "-"
    ? value(json)
    : FileSystem.FileSystem.use((fileSystem) =>
        fileSystem.writeFileString(file, `${formatJson(json)}\n`, { flag: force === true ? "w" : "wx" })
      ).pipe(
        Effect.mapError((error) =>
          error.reason._tag === "AlreadyExists"
            ? failure(
                `${file} exists already: choose another name with --out${force === undefined ? "" : ", or replace it with --force"}`,
                error
              )
            : failure(error.message, error)
        ),
        Effect.andThen(Console.log(`${file}: ${said}`))
      )

export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    []
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}

/** How sure or how bad something is. */
export type Tone = "good" | "doubtful" | "bad" | "aside"

const codes: Readonly<Record<Tone, number>> = { good: 32, doubtful: 33, bad: 31, aside: 2 }

export type Paint = (tone: Tone, text: string) => string

/** Colours a text if the output shows colours. */
export const paint: Effect.Effect<Paint> = Effect.map(
  TerminalCapabilities.TerminalCapabilities,
  ({ canColor }) =>
    (tone, text) =>
      canColor ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text
)

/** The failure where a question is needed, and no one can be asked. */
export const unasked = (what: "confirmed" | "done", json = false): CliError.UserError =>
  failure(`${json ? "--json cannot ask" : "no terminal to ask"} for confirmation: use --yes. Nothing was ${what}`)

/** Asks before anything is sent or changed. Where nobody can answer, and with `--json`, `--yes` is required. */
export const ask = Effect.fnUntraced(function* (question: string, yes: boolean, json = false) {
  if (yes) return
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt || json) return yield* unasked("done", json)
  if (!(yield* Prompt.Confirm({ message: question }))) return yield* failure("nothing was done")
})
