/** `custody contract`: what is known about the service's wire. `list`, `check` and `show` send nothing. */
import * as Adapter from "@effect-custody/contract/Adapter"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import { factsOf, Wires } from "@effect-custody/core/siblings/Wires"
import { Transactions } from "@effect-custody/sdk"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as HistoryNeeds from "@effect-custody/transactions/siblings/HistoryNeeds"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Call from "../service/call.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, toJson } from "../service/endpoints.ts"
import * as Rehearsal from "../service/rehearsal.ts"
import * as Output from "../terminal/output.ts"
import * as Probe from "./probe.ts"
import * as Rehearse from "./rehearse.ts"

/** The address of the requests of an adapter, as far as it is known without an input. */
const lineOf = (endpoint: AnyEndpoint, adapter: Adapter.Adapter | undefined): string => {
  const { method, path } = endpoint.route
  if (adapter === undefined || (adapter.isAssumed && adapter.examples.length === 0)) return `${method} ${path}`
  return adapter.examples[0]?.request.line ?? ""
}

/** A line for each operation: its route, and its standing. Then the totals. */
const table = (contract: ContractFiles.Contract, onlyConfirmed = false) => {
  const all = CustodyApi.operations.map((operation) => {
    const endpoint = operation as unknown as AnyEndpoint
    const adapter = ContractFiles.find(contract, endpoint.operation)
    const standing = adapter === undefined ? endpoint.provenance : "confirmed"
    const form = adapter === undefined ? "" : adapter.isAssumed ? "as assumed" : "an adapter"
    return { adapter, standing, columns: [endpoint.operation, lineOf(endpoint, adapter), standing, form] }
  })
  const listed = onlyConfirmed ? all.filter(({ adapter }) => adapter !== undefined) : all
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
    yield* Output.lines(table(yield* ContractFiles.chosenOrNone(contract)))
  })
).pipe(CliCommand.withDescription("Lists every operation, and whether it is specified, assumed or confirmed"))

/** What payouts and `find` lack under a contract of payments. `payouts run` refuses with the same words. */
const lacking = (contract: ContractFiles.Contract, wires: Wires): ReadonlyArray<string> =>
  [Transactions.send, Transactions.list].some(({ operation }) => ContractFiles.find(contract, operation) !== undefined)
    ? HistoryNeeds.objections(Transactions, (operation) => factsOf(wires, operation))
    : []

const check = CliCommand.make(
  "check",
  {
    file: Argument.File("file").pipe(
      Argument.withDescription(`Default: CUSTODY_CONTRACT_FILE, or ${ContractFiles.usual}`),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file }) {
    const path = Option.getOrElse(yield* ContractFiles.chosen(file), () => ContractFiles.usual)
    const contract = yield* ContractFiles.read(path)
    const wires = yield* Output.orFail(Effect.provide(Wires, ContractFiles.toLayer(contract)))
    const paint = yield* Output.paint
    const looks = [...lacking(contract, wires), ...(yield* Rehearse.open(path, contract, wires))]
    yield* Output.lines([
      ...table(contract, true),
      ...looks.map((text) => `${paint("doubtful", "look:")} ${text}`),
      `${path} is valid: it confirms ${contract.adapters.length} operations`
    ])
  })
).pipe(
  CliCommand.withDescription(
    "Checks the examples of a contract, and lists what it confirms, what payouts lack, and the writes that nobody has rehearsed. Exits with 1 if it is invalid"
  )
)

const show = CliCommand.make(
  "show",
  {
    ...Call.config,
    answer: Flag.File("answer").pipe(
      Flag.withDescription("A file with the JSON of an answer: shows what it becomes"),
      Flag.optional
    ),
    status: Flag.Int("status").pipe(Flag.withDescription("The status of the answer; default: a success"), Flag.optional)
  },
  Effect.fnUntraced(function* ({ answer, contract, status, ...given }) {
    const { endpoint, input } = yield* Call.read(given)
    const body = yield* Output.orFail(
      Effect.forEach(Option.toArray(answer), (file) => FileSystem.FileSystem.use((files) => files.readFileString(file)))
    )
    if (body.some((text) => ExactJson.parseIfJson(text) === undefined))
      return yield* Output.failure("--answer is not JSON")
    const answered = { status: Option.getOrElse(status, () => endpoint.status), body: body[0] ?? "" }
    const { request, result } = yield* Rehearsal.run(endpoint, input, contract, answered)
    yield* Output.lines(Rehearsal.lines(request))
    if (Option.isNone(answer)) return
    if (Result.isFailure(result)) return yield* Output.failure(`${result.failure._tag}: ${result.failure.message}`)
    yield* Output.lines([""])
    yield* Output.value(toJson(result.success))
  })
).pipe(
  CliCommand.withDescription(
    "Shows the request of a call under the contract and, with --answer, what an answer becomes. Sends nothing"
  )
)

export const command = CliCommand.make("contract").pipe(
  CliCommand.withDescription("Contract files: what is known about the service's wire"),
  CliCommand.withSubcommands([list, check, show, Probe.command, Rehearse.command])
)
