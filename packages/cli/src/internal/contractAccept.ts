/**
 * `custody contract accept`: a person confirms what was proposed, and the file records who, when, and against which
 * document.
 */
import type * as ContractFile from "@effect-custody/core/ContractFile"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as ContractTable from "../ContractTable.ts"
import * as ContractFiles from "./contractFiles.ts"
import * as Output from "./output.ts"

type Contract = ContractFile.File

/** Who confirms, when, and the document that was compared, if the file does not name one. */
export interface Confirmation extends ContractFile.Confirmed {
  readonly document: string | undefined
}

const isRead = new Map(CustodyApi.operations.map(({ name, safety }) => [name, safety === "read"]))

const noteOf = (entry: true | ContractFile.Differences | undefined): string | undefined =>
  entry === true ? undefined : entry?.note

/** The proposed reads without a note, which leave nothing for a person to check. */
const plainReads = ({ proposed = {} }: Contract): ReadonlyArray<string> =>
  Object.keys(proposed).filter((name) => isRead.get(name) === true && noteOf(proposed[name]) === undefined)

/** Where an entry is documented: its own place in the document of the file. */
const sourceOf = (
  { proposed = {}, source }: Contract,
  name: string,
  document: string | undefined
): ContractFile.Source | undefined => {
  const entry = proposed[name]
  const own = entry === undefined || entry === true ? undefined : entry.source
  const said = { ...source, ...own, ...(document === undefined ? {} : { document }) }
  return Object.keys(said).length === 0 ? undefined : said
}

/** The file with an entry confirmed. Pure. */
export const accepted = (file: Contract, name: string, { by, date, document }: Confirmation): Contract => {
  const { operations, proposed = {}, ...rest } = file
  const { [name]: entry, ...others } = proposed
  const source = sourceOf(file, name, document)
  return {
    ...rest,
    operations: {
      ...operations,
      [name]: {
        ...(entry === true ? {} : entry),
        confirmed: { by, date },
        ...(source === undefined ? {} : { source })
      }
    },
    proposed: others
  }
}

/** What a person has to see of an entry before it is confirmed. */
const shown = (
  file: Contract,
  name: string,
  paint: (tone: Output.Tone, text: string) => string
): ReadonlyArray<string> => {
  const row = ContractTable.rows(file).find(({ operation }) => operation === name)!
  const assumed = CustodyApi.operations.find((operation) => operation.name === name)!
  const source = sourceOf(file, name, undefined)
  const note = noteOf(file.proposed?.[name])
  return [
    `${name}  ${row.method} ${file.defaults?.prefix ?? ""}${row.path}  ${paint("aside", isRead.get(name) === true ? "reads" : "changes something")}`,
    `    assumed: ${assumed.method} ${assumed.path}`,
    ...(row.differences === "" ? [] : [`    differs: ${row.differences}`]),
    ...(source === undefined ? [] : [`    source: ${[source.document, source.page].filter(Boolean).join(", ")}`]),
    ...(note === undefined ? [] : note.split("; ").map((text) => `    ${paint("doubtful", "look:")} ${text}`))
  ]
}

const save = Effect.fnUntraced(function* (path: string, file: Contract) {
  const fileSystem = yield* FileSystem.FileSystem
  const next = `${path}.next`
  // Renamed into place, so that a half-written file is never used.
  yield* fileSystem.writeFileString(next, `${Output.textOf(file)}\n`)
  yield* fileSystem.rename(next, path)
}, Output.orFail)

const user = Config.option(Config.NonEmptyString("USER").pipe(Config.orElse(() => Config.NonEmptyString("USERNAME"))))

/** The entries to confirm. Without names: all that are proposed. */
const chosen = Effect.fnUntraced(function* (file: Contract, names: ReadonlyArray<string>, reads: boolean) {
  const { operations = {}, proposed = {} } = file
  for (const name of names) {
    if (Object.hasOwn(operations, name)) return yield* Output.failure(`${name} is already confirmed`)
    if (!Object.hasOwn(proposed, name)) {
      return yield* Output.failure(`there is no proposal for ${name}; proposed: ${Object.keys(proposed).join(", ")}`)
    }
  }
  const named = [...new Set([...names, ...(reads ? plainReads(file) : [])])]
  return named.length === 0 && !reads ? Object.keys(proposed) : named
})

/** What a run has confirmed, and what is left. */
const reportOf = (path: string, file: Contract, confirmed: ReadonlyArray<string>) => ({
  file: path,
  confirmed: confirmed.map((operation) => ({ operation, entry: file.operations?.[operation] })),
  proposed: Object.keys(file.proposed ?? {})
})

export const command = CliCommand.make(
  "accept",
  {
    names: Argument.String("operation").pipe(
      Argument.withDescription(
        "The operations to confirm, such as wallets.get. Without names, asks about every proposal"
      ),
      Argument.variadic()
    ),
    reads: Flag.Boolean("reads").pipe(
      Flag.withDescription("Confirm the proposed reads without open questions"),
      Flag.withDefault(false)
    ),
    contract: Flag.withDescription(
      ContractFiles.flag,
      `The contract file to change; default: CUSTODY_CONTRACT_FILE, or ${ContractFiles.usual}`
    ),
    by: Flag.String("by").pipe(
      Flag.withDescription("Who confirms; default: the current user"),
      Flag.withMetavar("NAME"),
      Flag.optional
    ),
    source: Flag.String("source").pipe(
      Flag.withDescription("The document that the proposals were compared with, if the file does not name it"),
      Flag.withMetavar("TEXT"),
      Flag.optional
    ),
    yes: Output.yes,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ by, contract, json, names, reads, source, yes }) {
    const path = Option.getOrElse(yield* ContractFiles.chosen(contract), () => ContractFiles.usual)
    let file = yield* ContractFiles.read(path)
    const all = yield* chosen(file, names, reads)
    const isByOne = names.length === 0 && !reads
    if (all.length === 0) {
      return yield* json
        ? Output.value(reportOf(path, file, []))
        : Console.log(`${path}: no proposal matches; nothing was confirmed`)
    }
    // A question would end up in the JSON output.
    const canPrompt = !json && (yield* TerminalCapabilities.TerminalCapabilities).canPrompt
    const writes = all.filter((name) => isRead.get(name) !== true)
    if (isByOne && (yes || !canPrompt)) {
      return yield* Output.failure("name the operations to confirm, or use --reads; nothing is confirmed by default")
    }
    if (writes.length > 0 && all.length > 1 && (yes || !canPrompt)) {
      return yield* Output.failure(
        `${writes[0]} changes something and is confirmed on its own: custody contract accept ${writes[0]}`
      )
    }

    const who = Option.isSome(by) ? by : yield* Output.orFail(user)
    if (Option.isNone(who)) return yield* Output.failure("no user name is known: use --by NAME")
    const document = Option.getOrUndefined(source)
    const unsourced = all.find((name) => sourceOf(file, name, document) === undefined)
    if (unsourced !== undefined) {
      return yield* Output.failure(`no document is named for ${unsourced}: use --source TEXT`)
    }

    const paint = yield* Output.paint
    const date = DateTime.formatIsoDateUtc(yield* DateTime.now)
    const confirmed: Array<string> = []
    const confirm = Effect.fnUntraced(function* (group: ReadonlyArray<string>) {
      if (!json) yield* Output.lines(group.flatMap((name) => shown(file, name, paint)))
      const question = group.length === 1 ? `Confirm ${group[0]}?` : `Confirm these ${group.length} reads?`
      if (!yes && !canPrompt) return yield* Output.unasked("confirmed", json)
      if (!yes && !(yield* Prompt.Confirm({ message: question }))) return
      for (const name of group) file = accepted(file, name, { by: who.value, date, document })
      yield* save(path, file)
      confirmed.push(...group)
    })
    const together = isByOne ? [] : all.filter((name) => isRead.get(name) === true)
    if (together.length > 0) yield* confirm(together)
    for (const name of isByOne ? all : writes) yield* confirm([name])

    const report = reportOf(path, file, confirmed)
    const left = report.proposed
    if (json) return yield* Output.value(report)
    yield* Console.log(
      `${path}: ${confirmed.length} confirmed by ${who.value}, ${left.length} still proposed (no effect yet)` +
        (left.length === 0 ? "" : `: ${left.join(", ")}`)
    )
  })
).pipe(
  CliCommand.withDescription(
    "Confirms what a contract file proposes, after showing it, and records who confirmed it, when, and against which " +
      "document. Operations that change something are confirmed one by one"
  ),
  CliCommand.withExamples([
    { command: "custody contract accept --reads", description: "The reads without open questions" },
    { command: "custody contract accept transactions.send", description: "One operation that changes something" },
    { command: "custody contract accept", description: "Every proposal, one by one" }
  ])
)
