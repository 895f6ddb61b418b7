/**
 * `custody contract rehearse`: sends one write that moves value in a sandbox, and shows its request and the balances before
 * and after. It remembers the fingerprint, so that `check` names the writes that nobody has rehearsed.
 */
import * as Amount from "@effect-custody/core/Amount"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import { Recorder, type WireRecord } from "@effect-custody/core/siblings/Transport"
import { Wires } from "@effect-custody/core/siblings/Wires"
import { Wallets } from "@effect-custody/sdk"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Call from "../service/call.ts"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type Failure, toJson } from "../service/endpoints.ts"
import * as Service from "../service/environment.ts"
import * as Rehearsal from "../service/rehearsal.ts"
import * as Output from "../terminal/output.ts"

/** The rehearsals stand beside the contract: the fingerprint of each operation that was rehearsed. */
const besideOf = (file: string): string => `${file}.rehearsed.json`

const Rehearsed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const readRehearsed = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(besideOf(file)))) return {}
  return yield* Schema.decodeEffect(Rehearsed)(yield* files.readFileString(besideOf(file)))
}, Output.orFail)

/** The fingerprint of an operation; an operation as assumed has none. */
const printOf = ({ fingerprint }: Wires, operation: Parameters<Wires["fingerprint"]>[0]): string =>
  fingerprint(operation) ?? "assumed"

/** The writes that nobody has rehearsed with their fingerprint. The first payout rehearses `transactions.send`. */
export const open = Effect.fnUntraced(function* (file: string, { adapters }: ContractFiles.Contract, wires: Wires) {
  const rehearsed: Readonly<Record<string, string>> = yield* readRehearsed(file)
  return adapters
    .map(({ operation }) => operation)
    .filter(({ operation, safety }) => safety === "write" && operation !== "transactions.send")
    .filter((operation) => rehearsed[operation.operation] !== printOf(wires, operation))
    .map(({ operation }) => `nobody has rehearsed ${operation} with this contract: see custody contract rehearse`)
})

/** The balances of the wallets of some clients, by client, asset and wallet; or why they cannot be shown. */
const balances = (clients: ReadonlyArray<string>) =>
  Effect.forEach(clients, (clientId) => Wallets.list({ clientId, limit: 100 })).pipe(
    Effect.map((pages) => {
      const wallets = pages.flatMap(({ items }) => items)
      const rows = wallets.flatMap(({ assetId, balance, balances, clientId = "", id, pendingBalance }) =>
        (balances ?? [{ assetId, balance, pendingBalance }]).map((row) => {
          const amounts = [row.balance, row.pendingBalance].map((each) => (each ? Amount.format(each) : "-"))
          return [`${clientId} ${row.assetId ?? ""} ${id}`, amounts.join(", pending ")] as const
        })
      )
      return new Map(rows)
    }),
    Effect.mapError(({ _tag, message }: Failure) => `the balances cannot be shown: ${_tag}: ${message}`),
    Effect.result
  )

type Balances = Effect.Success<ReturnType<typeof balances>>

const changed = "changed"

const sideBySide = (before: Balances, after: Balances): ReadonlyArray<string> => {
  if (Result.isFailure(before)) return [before.failure]
  if (Result.isFailure(after)) return [after.failure]
  const names = [...new Set([...before.success.keys(), ...after.success.keys()])].toSorted()
  const rows = names.map((name) => {
    const [one = "-", other = "-"] = [before.success.get(name), after.success.get(name)]
    return [name, one, other, one === other ? "" : changed]
  })
  const none = "no wallet of these clients was found"
  return rows.length === 0 ? [none] : Output.table([["wallet", "before", "after"], ...rows])
}

/** How long the balances may take to change. */
const patience = { times: 10, schedule: Schedule.spaced("1 second") }

const clientsIn = (input: object): ReadonlyArray<string> =>
  Object.entries(input).flatMap(([name, value]) =>
    /clientId$/i.test(name) && typeof value === "string" ? [value] : []
  )

export const command = CliCommand.make(
  "rehearse",
  { ...Call.config, notProduction: Service.notProduction, yes: Output.yes },
  Effect.fnUntraced(function* ({ contract: given, notProduction, yes, ...args }) {
    const { endpoint, input } = yield* Call.read(args)
    if (endpoint.safety !== "write") return yield* Output.failure(`${endpoint.operation} is no write that moves value`)
    const environment = yield* Service.configured
    yield* Service.assertNoProduction("rehearse", environment, notProduction)
    const file = Option.getOrUndefined(yield* ContractFiles.chosen(given))
    if (file === undefined) return yield* Output.failure("name the contract: --contract or CUSTODY_CONTRACT_FILE")
    const contract = ContractFiles.toLayer(yield* ContractFiles.read(file))
    yield* Output.lines([...Rehearsal.lines((yield* Rehearsal.run(endpoint, input, given)).request), ""])
    yield* Output.ask(`Send this to ${environment.baseUrl}? It moves value: give the smallest amount`, yes)
    const clients = clientsIn(input)
    const sent: Array<WireRecord> = []
    yield* Effect.gen(function* () {
      const before = yield* balances(clients)
      const call = Effect.provideService(endpoint(input), Recorder, (record) => sent.push(record))
      const result = yield* Effect.result(call)
      const record = sent.find(({ operation }) => operation === endpoint.operation)
      const exchanged = record && ["sent:", ...Rehearsal.lines(record), "", "answered:", record.answer?.body ?? "", ""]
      yield* Output.lines(exchanged ?? [])
      if (Result.isFailure(result)) return yield* Output.failure(`${result.failure._tag}: ${result.failure.message}`)
      yield* Output.lines(["read as:"])
      yield* Output.value(toJson(result.success))
      const compared = Effect.map(balances(clients), (after) => sideBySide(before, after))
      const until = (lines: ReadonlyArray<string>) => lines.some((line) => line.endsWith(changed))
      yield* Output.lines(["", ...(yield* Effect.repeat(compared, { ...patience, until }))])
    }).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Client.under(contract)),
      Output.orFail
    )
    yield* Output.ask("Did exactly what was given move, in the right direction?", yes)
    const wires = yield* Output.orFail(Effect.provide(Wires, contract))
    const rehearsed = { ...(yield* readRehearsed(file)), [endpoint.operation]: printOf(wires, endpoint) }
    const text = yield* Output.orFail(Schema.encodeEffect(Rehearsed)(rehearsed))
    yield* Output.orFail(FileSystem.FileSystem.use((files) => files.writeFileString(besideOf(file), `${text}\n`)))
    yield* Output.lines([`${endpoint.operation} is rehearsed with this contract: ${besideOf(file)} says so`])
  })
).pipe(
  CliCommand.withDescription(
    "Sends one write that moves value in a sandbox, and shows its request and the balances before and after. Refuses production"
  )
)
