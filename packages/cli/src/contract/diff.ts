/** `custody contract diff`: shows the changes of a new document version that concern confirmed entries. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { type ApiDocument, formatRoute } from "@effect-custody/contract/unstable/ApiDocument"
import { diff, withoutNames } from "@effect-custody/contract/unstable/DocumentDiff"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ContractFiles from "../service/contractFiles.ts"
import { readDocument } from "./import.ts"
import * as ContractTable from "./table.ts"
import * as Output from "../terminal/output.ts"

/**
 * The confirmed operations by their routes in the document. Finds the document's operation by its place, else by its
 * path or the end of it, else by its path without the contract's prefix, which can be in the address of the server.
 */
const confirmedByRoute = (
  contract: ContractFile.File,
  { operations: theirs }: ApiDocument
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const { defaults: { prefix = "" } = {}, operations = {} } = contract
  const confirmed = ContractTable.rows(contract).filter(({ operation }) => Object.hasOwn(operations, operation))
  const byRoute = new Map<string, ReadonlyArray<string>>()
  for (const { method, operation, path } of confirmed) {
    const entry = operations[operation]
    const page = typeof entry === "object" ? entry.source?.page : undefined
    const [whole, own] = [withoutNames(path), withoutNames(path.slice(prefix.length))]
    const at = (fits: (path: string) => boolean) =>
      theirs.find((other) => other.method === method && fits(withoutNames(other.path)))
    const found =
      theirs.find(({ place }) => place === page) ??
      at((other) => other === whole) ??
      at((other) => other.endsWith(whole)) ??
      at((other) => other === own)
    if (found === undefined) continue
    const route = withoutNames(formatRoute(found))
    byRoute.set(route, [...(byRoute.get(route) ?? []), operation])
  }
  return byRoute
}

const tones = { added: "good", removed: "bad", changed: "doubtful" } as const

const document = (name: string, version: string) =>
  Argument.File(name, { mustExist: true }).pipe(
    Argument.withDescription(`The ${version} version of the service's document`)
  )

export const command = CliCommand.make(
  "diff",
  {
    before: document("before", "earlier"),
    after: document("after", "later"),
    contract: ContractFiles.flag,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ after, before, contract, json }) {
    const file = yield* ContractFiles.chosen(contract)
    const contractFile = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
    const [old, now] = [yield* readDocument(before), yield* readDocument(after)]
    const entries = confirmedByRoute(contractFile, old)
    const changes = diff(old, now).map((change) => ({
      ...change,
      inForce: entries.get(withoutNames(change.operation)) ?? []
    }))
    const concerned = changes.flatMap(({ inForce }) => inForce)
    if (json) yield* Output.value(changes)
    else {
      const paint = yield* Output.paint
      yield* Output.lines(
        changes.flatMap(({ details, inForce: names, kind, operation }) => [
          `${paint(tones[kind], kind.padEnd(8))} ${operation}${names.length === 0 ? "" : ` (${names.join(", ")})`}`,
          ...details.map((detail) => `    ${detail}`)
        ])
      )
      yield* Console.log(
        `${changes.length} operations of the document changed; ` +
          (Option.isNone(file)
            ? "without a contract file, none is confirmed"
            : `${concerned.length} of them are confirmed`)
      )
    }
    if (Option.isSome(file) && entries.size === 0) {
      return yield* Output.failure(`${before} has no operation that ${file.value} confirms: is it the right document?`)
    }
    if (concerned.length > 0) {
      return yield* Output.failure(`compare again with the new document: ${concerned.join(", ")}`)
    }
  })
).pipe(
  CliCommand.withDescription("Compares two versions of a document. Exits with 1 if a confirmed operation has changed")
)
