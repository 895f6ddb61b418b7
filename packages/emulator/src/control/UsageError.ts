/**
 * Reports a wrong command line in one line for each mistake. Effect's default prints the whole help first. The help of a
 * command points to the flags that every command has, and does not repeat them.
 *
 * @since 0.1.0
 *
 * @siblings `cli` reads options in the same way.
 */
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const withSuggestion = (text: string, [nearest]: ReadonlyArray<string>): string =>
  nearest === undefined ? text : `${text}, did you mean ${nearest}?`

const describe = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return withSuggestion(`there is no option ${error.option}`, error.suggestions)
    case "UnknownSubcommand":
      return withSuggestion(`there is no command ${error.subcommand}`, error.suggestions)
    default:
      return error.message.replaceAll(/\s*\n\s*/g, " ")
  }
}

const presenter = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const { formatCliError } = yield* CliOutput.Formatter
    const path = event.commandPath.join(" ")
    for (const error of event.errors) {
      const userMessage = `${path}: ${describe(error)} (${path} --help lists all)`
      yield* Console.error(formatCliError(new CliError.UserError({ cause: error, userMessage })))
    }
  })
})

/**
 * Prints each mistake as one line on standard error, and suggests the nearest name. The help of a subcommand names the
 * command that lists the global flags.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.merge(
  presenter,
  Layer.sync(CliOutput.Formatter, () => CliOutput.defaultFormatter({ globalFlags: "summary" }))
)
