/** `custody contract`: what is known about the service's wire. `list`, `check` and `show` send nothing. */
import * as Adapter from "@effect-custody/contract/Adapter"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { factsOf, type Wire, Wires } from "@effect-custody/core/siblings/Wires"
import { Transactions } from "@effect-custody/sdk"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as HistoryNeeds from "@effect-custody/transactions/siblings/HistoryNeeds"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Call from "../service/call.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, type Fields, toJson } from "../service/endpoints.ts"
import * as Rehearsal from "../service/rehearsal.ts"
import * as Output from "../terminal/output.ts"
import * as Probe from "./probe.ts"
import { recordsIn } from "./probeReport.ts"
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
    const file = yield* ContractFiles.chosen(contract)
    yield* Output.lines(table(Option.isNone(file) ? ContractFiles.none : yield* ContractFiles.read(file.value)))
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
    const path = yield* ContractFiles.chosenOrUsual(file)
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

/** The maximum number of records to show. */
const maxRecords = 10

/** The fields of a record, with those of records in it: `asset.symbol`. */
const fieldsIn = (shape: Declaration.Shape, within: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  [...(Declaration.getRecord(shape)?.fields ?? [])].flatMap(([name, inner]) =>
    inner._tag === "Record" ? fieldsIn(inner, [...within, name]) : [[...within, name]]
  )

const fieldAt = (record: unknown, names: ReadonlyArray<string>): unknown =>
  names.reduce((inner, name) => (Predicate.isReadonlyObject(inner) ? inner[name] : undefined), record)

const text = (value: unknown): string => (value === undefined ? "-" : JSON.stringify(value))

/** Each field of the records with its value. */
const records = (endpoint: AnyEndpoint, result: unknown): ReadonlyArray<string> => {
  const rows = recordsIn(result)
  const fields = fieldsIn(Declaration.payload(endpoint))
  const lines = rows
    .slice(0, maxRecords)
    .flatMap((row) => [
      ...fields.map((names) => [names.join("."), text(fieldAt(toJson(row), names))]),
      ...(Object.keys(row["extra"] ?? {}).length === 0 ? [] : [["not read", text(row["extra"])]]),
      []
    ])
  return [...Output.table(lines), ...(rows.length > maxRecords ? [`and ${rows.length - maxRecords} more`] : [])]
}

/** The status of a success under a contract: the declared one, if it is one. */
const successStatus = (endpoint: AnyEndpoint, wire: Wire, body: unknown): number =>
  [endpoint.status, 200, 201, 202].find((status) => wire.answer({ status, body }, undefined) !== undefined) ?? 200

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
    if (Option.isNone(answer)) {
      return yield* Output.lines(Rehearsal.lines((yield* Rehearsal.run(endpoint, input, contract)).request))
    }
    const body = yield* Output.orFail(FileSystem.FileSystem.use((files) => files.readFileString(answer.value)))
    const json = ExactJson.parseIfJson(body)
    if (json === undefined) return yield* Output.failure(`${answer.value} is not JSON`)
    const wires = yield* Effect.provide(Wires, ContractFiles.layer(contract))
    const wire = wires.wire(endpoint) ?? Operation.codec(endpoint).wire
    const { request, result } = yield* Rehearsal.run(endpoint, input, contract, {
      status: Option.getOrElse(status, () => successStatus(endpoint, wire, json)),
      body
    })
    yield* Output.lines([...Rehearsal.lines(request), ""])
    if (Result.isFailure(result)) return yield* Output.failure(`${result.failure._tag}: ${result.failure.message}`)
    yield* Output.lines(records(endpoint, result.success))
    const { meta, nextCursor } = result.success as Fields
    if (meta !== undefined) yield* Output.lines([`page ${text(meta)}`])
    if (nextCursor !== undefined) yield* Output.lines([`next page ${text(nextCursor)}`])
  })
).pipe(
  CliCommand.withDescription(
    "Shows the request of a call under the contract and, with --answer, each field that an answer becomes. Sends nothing"
  )
)

export const command = CliCommand.make("contract").pipe(
  CliCommand.withDescription("Contract files: what is known about the service's wire"),
  CliCommand.withSubcommands([list, check, show, Probe.command, Rehearse.command])
)
