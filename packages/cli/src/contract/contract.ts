/** `custody contract`: the knowledge about the service's wire. */
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import { CodeTypeId } from "@effect-custody/contract/Wire"
import { factsOf } from "@effect-custody/core/Wires"
import { Transactions } from "@effect-custody/sdk"
import * as HistoryNeeds from "@effect-custody/transactions/HistoryNeeds"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
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

/** `true` if an entry, which is data, leaves it open whether the history is sorted. */
const saysNoOrder = ({ defaults, operations = {} }: ContractFiles.Contract): boolean => {
  const entry = operations["transactions.list"]
  return typeof entry === "object" && !(CodeTypeId in entry) && !("order" in { ...defaults?.fields, ...entry.fields })
}

/** What payouts and `find` lack under a contract of payments. `payouts run` refuses with the same words. */
const lacking = Effect.fnUntraced(function* (contract: ContractFiles.Contract) {
  const names = Object.keys(contract.operations ?? {})
  if (!names.some((name) => name === "transactions.send" || name === "transactions.list")) return []
  const wires = yield* Effect.provide(ServiceContract.ServiceContract, ContractFiles.toLayer(contract))
  return [
    ...HistoryNeeds.objections(Transactions, (operation) => factsOf(wires, operation)),
    ...(saysNoOrder(contract)
      ? [
          'transactions.list does not say where "order" goes: it is sent as assumed. Say "omit" if the service does not sort'
        ]
      : [])
  ]
}, Output.orFail)

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
    const contract = yield* ContractFiles.read(path)
    if (json) return yield* Output.value(ContractTable.rows(contract))
    const paint = yield* Output.paint
    yield* Output.lines([
      ...ContractTable.table(contract, true),
      ...(yield* lacking(contract)).map((text) => `${paint("doubtful", "look:")} ${text}`),
      `${path} is valid: it confirms ${Object.keys(contract.operations ?? {}).length} operations`
    ])
  })
).pipe(
  CliCommand.withDescription(
    "Checks a contract file, and lists what it confirms and what payouts lack. Exits with 1 if it is invalid, and says where"
  )
)

export const command = CliCommand.make("contract").pipe(
  CliCommand.withDescription("Contract files: what is known about the service's wire"),
  CliCommand.withSubcommands([list, check, Show.command, Probe.command])
)
