/**
 * The command `custody-openapi`: the whole API as an OpenAPI 3.1 document.
 *
 * @since 0.1.0
 */
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as OpenApi from "effect/http-api/OpenApi"
import { CustodyApi } from "./CustodyApi.ts"
import { version } from "./internal/version.ts"

const flags = {
  out: Flag.String("out").pipe(
    Flag.withDescription("The file to write; - is the standard output"),
    Flag.withMetavar("FILE"),
    Flag.withDefault("openapi.json")
  )
}

const inLines = (document: OpenApi.OpenAPISpec): string => JSON.stringify(document, undefined, 2)

/**
 * The command `custody-openapi`. Writes the document to a file or to standard output.
 *
 * @since 0.1.0
 * @category commands
 */
export const command = CliCommand.make(
  "custody-openapi",
  flags,
  Effect.fnUntraced(function* ({ out }) {
    const document = OpenApi.fromApi(CustodyApi)
    const text = inLines(document)
    if (out === "-") return yield* Console.log(text)
    const fileSystem = yield* FileSystem.FileSystem
    yield* Effect.mapError(
      fileSystem.writeFileString(out, `${text}\n`),
      (error) => new CliError.UserError({ cause: error, userMessage: error.message })
    )
    yield* Console.log(`${out}: OpenAPI ${document.openapi}, ${CustodyApi.operations.length} operations`)
  })
).pipe(CliCommand.withDescription("Writes the whole API as an OpenAPI 3.1 document"))

/**
 * Runs the command with the arguments of the process. Needs the platform's services, such as `NodeServices.layer`.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(command, { version })
