/**
 * `custody contract rehearse`: sends one write that moves value in a sandbox, and shows its request and the balances before
 * and after. It remembers the fingerprint, so that `check` names the writes that nobody has rehearsed.
 */
import * as Amount from "@effect-custody/core/Amount"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import * as Debugging from "@effect-custody/core/siblings/Debugging"
import { Wires } from "@effect-custody/core/siblings/Wires"
import { Wallets } from "@effect-custody/sdk"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Call from "../service/call.ts"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { toJson } from "../service/endpoints.ts"
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
  return adapters.flatMap(({ operation }) =>
    operation.safety !== "write" ||
    operation.operation === "transactions.send" ||
    rehearsed[operation.operation] === printOf(wires, operation)
      ? []
      : [`nobody has rehearsed ${operation.operation} with this contract: see custody contract rehearse`]
  )
})

/** The balances of the wallets of some clients, by client, asset and wallet; or why they cannot be shown. */
const balances = (clients: ReadonlyArray<string>) =>
  Effect.forEach(clients, (clientId) => Wallets.list({ clientId, limit: 100 })).pipe(
    Effect.map((pages) =>
      Result.succeed(
        new Map(
          pages
            .flatMap(({ items }) => items)
            .flatMap(({ assetId: own, balance, balances, clientId = "", id, pendingBalance }) =>
              (balances ?? [{ assetId: own, balance, pendingBalance }]).map(
                ({ assetId = "", ...amounts }) =>
                  [
                    [clientId, assetId, id].join(" "),
                    [amounts.balance, amounts.pendingBalance]
                      .map((each) => (each === undefined ? "-" : Amount.format(each)))
                      .join(", pending ")
                  ] as const
              )
            )
        )
      )
    ),
    Effect.catch(({ _tag, message }) => Effect.succeed(Result.fail(`${_tag}: ${message}`)))
  )

type Balances = Effect.Success<ReturnType<typeof balances>>

const sideBySide = (before: Balances, after: Balances): ReadonlyArray<string> => {
  if (Result.isFailure(before)) return [`the balances cannot be shown: ${before.failure}`]
  if (Result.isFailure(after)) return [`the balances after it cannot be shown: ${after.failure}`]
  const names = [...new Set([...before.success.keys(), ...after.success.keys()])].toSorted()
  const rows = names.map((name) => {
    const [one = "-", other = "-"] = [before.success.get(name), after.success.get(name)]
    return [name, one, other, one === other ? "" : "changed"]
  })
  return rows.length === 0
    ? ["no wallet of these clients was found"]
    : Output.table([["wallet", "before", "after"], ...rows])
}

/** How long the balances may take to change. */
const patience = { times: 10, every: "1 second" } as const

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
    const contract = yield* ContractFiles.read(file)
    yield* Output.lines([...Rehearsal.lines((yield* Rehearsal.run(endpoint, input, given)).request), ""])
    yield* Output.ask(`Send this to ${environment.baseUrl}? It moves value: give the smallest amount`, yes)
    const clients = clientsIn(input)
    const sent: Array<Debugging.WireRecord> = []
    yield* Effect.gen(function* () {
      const before = yield* balances(clients)
      const result = yield* Effect.result(
        Effect.provideService(endpoint(input), Debugging.Recorder, (record) => sent.push(record))
      )
      const record = sent.find(({ operation }) => operation === endpoint.operation)
      if (record !== undefined)
        yield* Output.lines(["sent:", ...Rehearsal.lines(record), "", "answered:", record.answer?.body ?? "", ""])
      if (Result.isFailure(result)) return yield* Output.failure(`${result.failure._tag}: ${result.failure.message}`)
      yield* Output.lines(["read as:"])
      yield* Output.value(toJson(result.success))
      yield* Output.lines([""])
      let after = yield* balances(clients)
      for (
        let time = 0;
        time < patience.times && sideBySide(before, after).every((line) => !line.endsWith("changed"));
        time++
      ) {
        yield* Effect.sleep(patience.every)
        after = yield* balances(clients)
      }
      yield* Output.lines(sideBySide(before, after))
    }).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Client.under(ContractFiles.toLayer(contract))),
      Output.orFail
    )
    yield* Output.ask("Did exactly what was given move, in the right direction?", yes)
    const wires = yield* Output.orFail(Effect.provide(Wires, ContractFiles.toLayer(contract)))
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
