/** `custody contract`: the knowledge about the service's wire. */
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ContractFiles from "../service/contractFiles.ts"
import * as ContractTable from "./table.ts"
import * as Output from "../terminal/output.ts"
import * as Probe from "./probe.ts"
import * as Show from "./show.ts"

const list = CliCommand.make(
  "list",
  { contract: ContractFiles.flag, json: Output.json },
  Effect.fnUntraced(function* ({ contract, json }) {
    const file = yield* ContractFiles.chosen(contract)
    const contractFile = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
    yield* json ? Output.value(ContractTable.rows(contractFile)) : Output.lines(ContractTable.table(contractFile))
  })
).pipe(CliCommand.withDescription("Lists every operation, and whether it is specified, assumed or confirmed"))

/** What a contract cannot express about errors, and what to do instead. */
const unlistedErrors =
  "An error with a code that no tag lists, or with its code at another place, has only its status: " +
  "it is UnknownApiError (404: NotFound, 429: RateLimited), and your program branches on status"

const check = CliCommand.make(
  "check",
  {
    file: Argument.File("file").pipe(
      Argument.withDescription(`Default: CUSTODY_CONTRACT_FILE, or ${ContractFiles.usual}`),
      Argument.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ file, json }) {
    const path = yield* ContractFiles.chosenOrUsual(file)
    const contractFile = yield* ContractFiles.read(path)
    if (json) return yield* Output.value(ContractTable.rows(contractFile))
    yield* Output.lines(ContractTable.table(contractFile))
    yield* Console.log(unlistedErrors)
    yield* Console.log(`${path} is valid: it confirms ${Object.keys(contractFile.operations ?? {}).length} operations`)
  })
).pipe(CliCommand.withDescription("Checks a contract file. Exits with 1 if it is invalid, and says where"))

export const command = CliCommand.make("contract").pipe(
  CliCommand.withDescription("Contract files: what is known about the service's wire"),
  CliCommand.withSubcommands([list, check, Show.command, Probe.command])
)
