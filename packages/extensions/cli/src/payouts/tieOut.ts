/** `custody payouts tie-out`: compares the ledger with the service. */
import * as TieOut from "@effect-custody/ledger/TieOut"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Place from "./place.ts"

const time = (name: string, description: string) =>
  Flag.Date(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("TIME"),
    Flag.map(DateTime.fromDateUnsafe),
    Flag.optional
  )

export const command = CliCommand.make(
  "tie-out",
  {
    from: time("from", "From when (UTC); default: the beginning of yesterday"),
    to: time("to", "Until when (UTC); default: the beginning of today"),
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV"), Flag.withDefault(false)),
    ...Place.flags,
    contract: ContractFiles.flag
  },
  Effect.fnUntraced(function* ({ contract, csv, from, to, ...options }) {
    const today = DateTime.startOf(yield* DateTime.now, "day")
    const period = {
      from: Option.getOrElse(from, () => DateTime.subtract(today, { days: 1 })),
      to: Option.getOrElse(to, () => today)
    }
    const report = yield* Place.onLedger(options)(
      Effect.provide(TieOut.run(period), Client.under(ContractFiles.layer(contract)))
    )
    if (csv) yield* Console.log(TieOut.toCsv(report).trimEnd())
    else {
      const { payouts, rows, transactions } = report
      yield* Output.lines([
        `${DateTime.formatIso(period.from)} to ${DateTime.formatIso(period.to)}: ` +
          `${payouts} payouts, ${transactions} outgoing transactions, ${rows.length} differences`,
        ...Output.table(
          rows.map(({ detail, kind, ours, reference, theirs, transactionId }) => [
            kind,
            reference ?? "",
            transactionId ?? "",
            ours ?? "",
            theirs ?? "",
            detail
          ])
        )
      ])
    }
    if (report.rows.length > 0) return yield* Output.failure(`${report.rows.length} differences`)
  })
).pipe(
  CliCommand.withDescription(
    "Compares the ledger with the service's history: what only one has, and what differs. Exits with 1 if they differ"
  )
)
