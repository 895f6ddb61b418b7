/** `custody contract diff`: what a new version of the service's document changes for the confirmed entries. */
import type * as ContractFile from "@effect-custody/core/ContractFile"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ContractFiles from "./contractFiles.ts"
import { readDocument } from "./contractImport.ts"
import * as ContractTable from "./contractTable.ts"
import { diff, templateOf } from "./documentDiff.ts"
import * as Output from "./output.ts"

/** The operations that a contract confirms, by the method and path that they have under it. */
const inForce = (contract: ContractFile.File): ReadonlyMap<string, string> => {
  const { defaults: { prefix = "" } = {}, operations = {} } = contract
  return new Map(
    ContractTable.rows(contract)
      .filter(({ operation }) => Object.hasOwn(operations, operation))
      .map(({ method, operation, path }) => [`${method} ${templateOf(`${prefix}${path}`)}`, operation])
  )
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
    const entries = inForce(Option.isNone(file) ? {} : yield* ContractFiles.read(file.value))
    const changes = diff(yield* readDocument(before), yield* readDocument(after)).map((change) => ({
      ...change,
      inForce: entries.get(templateOf(change.operation)) ?? null
    }))
    const concerned = changes.flatMap((change) => change.inForce ?? [])
    if (json) yield* Output.value(changes)
    else {
      const paint = yield* Output.paint
      yield* Output.lines(
        changes.flatMap(({ details, inForce: entry, kind, operation }) => [
          `${paint(tones[kind], kind.padEnd(8))} ${operation}${entry === null ? "" : ` (${entry})`}`,
          ...details.map((detail) => `    ${detail}`)
        ])
      )
      yield* Console.log(
        `${changes.length} operations of the document changed; ${concerned.length} of them are confirmed`
      )
    }
    if (concerned.length > 0) {
      return yield* Output.failure(`compare again with the new document: ${concerned.join(", ")}`)
    }
  })
).pipe(
  CliCommand.withDescription(
    "Compares two versions of a service's document. Exits with 1 if an operation that the contract file confirms has changed"
  )
)
