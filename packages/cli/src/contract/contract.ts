/** `custody contract`: the knowledge about the service's wire. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import { CodeTypeId } from "@effect-custody/contract/Wire"
import * as Page from "@effect-custody/core/Page"
import * as Shape from "@effect-custody/core/Shape"
import { factsOf, type Wires } from "@effect-custody/core/Wires"
import { Transactions } from "@effect-custody/sdk"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as HistoryNeeds from "@effect-custody/transactions/HistoryNeeds"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Probe from "./probe.ts"
import * as Show from "./show.ts"

const wiresOf = (contract: ContractFiles.Contract) =>
  Output.orFail(Effect.provide(ServiceContract.ServiceContract, ContractFiles.toLayer(contract)))

/** A line for each operation: its route, its standing, what its entry changes, and the note. Then the totals. */
const table = ({ operations = {} }: ContractFiles.Contract, { wire }: Wires, onlyConfirmed = false) => {
  const all = CustodyApi.operations.map((endpoint) => {
    const { method, path } = (wire(endpoint) ?? endpoint).route
    const entry = Object.hasOwn(operations, endpoint.operation) ? operations[endpoint.operation] : undefined
    const { note = "", ...parts }: ContractFile.Differences = typeof entry === "object" ? entry : {}
    const changed = Object.keys(parts).filter((name) => !["proven", "operation", CodeTypeId].includes(name))
    const standing = entry === undefined ? endpoint.provenance : "confirmed"
    return { entry, standing, columns: [endpoint.operation, method, path, standing, changed.join(", "), note] }
  })
  const listed = onlyConfirmed ? all.filter(({ entry }) => entry !== undefined) : all
  const totals = [...Map.groupBy(all, ({ standing }) => standing)].map(([name, { length }]) => `${length} ${name}`)
  return [
    ...Output.table(listed.map(({ columns }) => columns)),
    ...(listed.length === 0 ? [] : [""]),
    `${all.length} operations: ${totals.join(", ")}`
  ]
}

const list = CliCommand.make(
  "list",
  { contract: ContractFiles.flag },
  Effect.fnUntraced(function* ({ contract }) {
    const file = yield* ContractFiles.chosen(contract)
    const read = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
    yield* Output.lines(table(read, yield* wiresOf(read)))
  })
).pipe(CliCommand.withDescription("Lists every operation, and whether it is specified, assumed or confirmed"))

/** `true` if an entry, which is data, leaves it open whether the history is sorted. */
const saysNoOrder = ({ defaults, operations = {} }: ContractFiles.Contract): boolean => {
  const entry = operations["transactions.list"]
  return typeof entry === "object" && !(CodeTypeId in entry) && !("order" in { ...defaults?.fields, ...entry.fields })
}

/** The fields of payments for which an entry, which is data, names no place. */
const asAssumed = ({ defaults, operations = {} }: ContractFiles.Contract): ReadonlyArray<string> =>
  [Transactions.send, Transactions.list, Transactions.get].flatMap((endpoint) => {
    const entry = operations[endpoint.operation]
    if (typeof entry !== "object" || CodeTypeId in entry) return []
    const unnamed = (part: "fields" | "response", names: ReadonlyArray<string>) =>
      names.filter((name) => !Object.hasOwn({ ...defaults?.[part], ...entry[part] }, name)).join(", ") || "nothing"
    const sent = [...Shape.input(endpoint)].flatMap(([name, { part }]) =>
      part === "path" || Object.hasOwn(Page.query, name) ? [] : [name]
    )
    const read = [...Shape.fieldNames(endpoint).keys()]
    return [`${endpoint.operation}, as assumed: sends ${unnamed("fields", sent)}; reads ${unnamed("response", read)}`]
  })

/** What payouts and `find` lack under a contract of payments. `payouts run` refuses with the same words. */
const lacking = (contract: ContractFiles.Contract, wires: Wires): ReadonlyArray<string> => {
  const names = Object.keys(contract.operations ?? {})
  if (!names.some((name) => name === "transactions.send" || name === "transactions.list")) return []
  return [
    ...HistoryNeeds.objections(Transactions, (operation) => factsOf(wires, operation)),
    ...(saysNoOrder(contract)
      ? [
          'transactions.list does not say where "order" goes: it is sent as assumed. Say "omit" if the service does not sort'
        ]
      : [])
  ]
}

const check = CliCommand.make(
  "check",
  {
    file: Argument.File("file").pipe(
      Argument.withDescription(`Default: CUSTODY_CONTRACT_FILE, or ${ContractFiles.usual}`),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file }) {
    const path = yield* ContractFiles.chosenOrUsual(file)
    const contract = yield* ContractFiles.read(path)
    const wires = yield* wiresOf(contract)
    const paint = yield* Output.paint
    yield* Output.lines([
      ...table(contract, wires, true),
      ...asAssumed(contract),
      ...lacking(contract, wires).map((text) => `${paint("doubtful", "look:")} ${text}`),
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
