/** `custody contract accept`: a person confirms proposals. The file records the person, the date and the document. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as ContractFiles from "../service/contractFiles.ts"
import * as ContractTable from "./table.ts"
import { suggestion } from "../terminal/nearest.ts"
import * as Output from "../terminal/output.ts"
import * as Person from "../terminal/person.ts"

type Contract = ContractFiles.Contract
type Entry = Pick<ContractFile.Differences, keyof ContractFile.Differences>

const isRead = new Map(CustodyApi.operations.map(({ operation, safety }) => [operation, safety === "read"]))

/** The proposed differences; `failed` is the failure that the last probe saw. */
const findProposal = ({ proposed = {} }: Contract, name: string): Entry => {
  const entry = proposed[name]
  return typeof entry === "object" ? entry : {}
}

/** Reads a proposed entry with its place in the document of the file. */
const proposedIn = (file: Contract, name: string): Entry => {
  const { failed: _, ...own } = findProposal(file, name)
  return file.source === undefined ? own : { ...own, source: { ...file.source, ...own.source } }
}

/** Confirms an entry of the file. Pure. */
export const accept = (
  file: Contract,
  name: string,
  confirmed: NonNullable<ContractFile.Differences["confirmed"]>
): Contract => {
  const { operations, proposed = {}, ...rest } = file
  const { [name]: _, ...others } = proposed
  return {
    ...rest,
    operations: { ...operations, [name]: { ...proposedIn(file, name), confirmed } },
    proposed: others
  }
}

const formatDefaults = ({ defaults }: Contract): ReadonlyArray<string> =>
  defaults === undefined ? [] : [`defaults: ${JSON.stringify(defaults)}`]

/** Formats an entry for the person who confirms it. */
const formatEntry = (file: Contract, name: string, paint: Output.Paint): ReadonlyArray<string> => {
  const row = ContractTable.rows(file).find(({ operation }) => operation === name)!
  const { route } = CustodyApi.operations.find(({ operation }) => operation === name)!
  const entry = proposedIn(file, name)
  const { note, source } = entry
  const { method: _, path: __, ...differences } = ContractTable.wireParts(entry)
  return [
    `${name}  ${row.method} ${row.path}  ${paint("aside", isRead.get(name) === true ? "reads" : "changes something")}`,
    `    assumed: ${route.method} ${route.path}`,
    ...Object.entries(differences).map(([part, value]) => `    ${part}: ${JSON.stringify(value)}`),
    ...(source === undefined ? [] : [`    source: ${[source.document, source.page].filter(Boolean).join(", ")}`]),
    ...(note === undefined ? [] : note.split("; ").map((text) => `    ${paint("doubtful", "look:")} ${text}`))
  ]
}

/** Selects the entries to confirm. Without names: all proposals. */
const chosen = Effect.fnUntraced(function* (file: Contract, names: ReadonlyArray<string>, reads: boolean) {
  const { operations = {}, proposed = {} } = file
  for (const name of names) {
    if (Object.hasOwn(operations, name)) return yield* Output.failure(`${name} is already confirmed`)
    if (!Object.hasOwn(proposed, name)) {
      const names = Object.keys(proposed)
      return yield* Output.failure(
        `there is no proposal for ${name}: ${suggestion(name, names, `proposed: ${names.join(", ")}`)}`
      )
    }
  }
  const all = Object.keys(proposed)
  // A note is an open question for a person.
  const plainReads = all.filter((name) => {
    const { failed, note } = findProposal(file, name)
    return isRead.get(name) === true && note === undefined && failed === undefined
  })
  return names.length === 0 && !reads ? all : [...new Set([...names, ...(reads ? plainReads : [])])]
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
    by: Person.by,
    despite: Flag.Boolean("despite-failure").pipe(
      Flag.withDescription("Confirm operations that the last probe saw fail, too"),
      Flag.withDefault(false)
    ),
    yes: Output.yes
  },
  Effect.fnUntraced(function* ({ by, contract, despite, names, reads, yes }) {
    const path = yield* ContractFiles.chosenOrUsual(contract)
    let file = yield* ContractFiles.read(path)
    if (ContractFiles.isModule(path)) return yield* Output.failure(`${path} is code: a person moves its entries`)
    const all = yield* chosen(file, names, reads)
    const failed = despite ? [] : all.filter((name) => findProposal(file, name).failed !== undefined)
    if (failed.length > 0) {
      return yield* Output.failure(
        `the last probe saw these fail; correct them, or use --despite-failure:\n` +
          failed.map((name) => `${name}: ${findProposal(file, name).failed}`).join("\n")
      )
    }
    const isByOne = names.length === 0 && !reads
    const asks = !yes && (yield* TerminalCapabilities.TerminalCapabilities).canPrompt
    const together = isByOne ? [] : all.filter((name) => isRead.get(name) === true)
    const single = all.filter((name) => !together.includes(name))
    if (isByOne && all.length > 0 && !asks) {
      return yield* Output.failure("name the operations to confirm, or use --reads; nothing is confirmed by default")
    }
    if (single.length > 0 && all.length > 1 && !asks) {
      return yield* Output.failure(
        `${single[0]} changes something and is confirmed on its own: custody contract accept ${single[0]}`
      )
    }
    const paint = yield* Output.paint
    const date = DateTime.formatIsoDateUtc(yield* DateTime.now)
    let count = 0
    if (all.length > 0) yield* Output.lines(formatDefaults(file))
    for (const group of [together, ...single.map((name) => [name])].filter(({ length }) => length > 0)) {
      yield* Output.lines(group.flatMap((name) => formatEntry(file, name, paint)))
      if (!yes && !asks) return yield* Output.unasked("confirmed")
      const message = group.length === 1 ? `Confirm ${group[0]}?` : `Confirm these ${group.length} reads?`
      if (asks && !(yield* Prompt.Confirm({ message }))) continue
      for (const name of group) file = accept(file, name, { by, date })
      yield* ContractFiles.write(path, file)
      count += group.length
    }

    const left = Object.keys(file.proposed ?? {})
    yield* Console.log(
      `${path}: ${count} confirmed by ${by}, ${left.length} still proposed (no effect yet)` +
        (left.length === 0 ? "" : `: ${left.join(", ")}`)
    )
  })
).pipe(
  CliCommand.withDescription("Confirms proposals, after showing them. Operations that change something go one by one")
)
