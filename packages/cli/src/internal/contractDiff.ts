/** `custody contract diff`: what a new version of the service's document changes for the confirmed entries. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ContractFiles from "./contractFiles.ts"
import { type ApiDocument, routeOf } from "./document/model.ts"
import { readDocument } from "./contractImport.ts"
import * as ContractTable from "./contractTable.ts"
import { diff, templateOf } from "./documentDiff.ts"
import * as Output from "./output.ts"

/** The operations of a document that a contract confirms, by their routes: by the path's end, or by their place in it. */
const inForce = (contract: ContractFile.File, { operations: theirs }: ApiDocument): ReadonlyMap<string, string> => {
  const { defaults: { prefix = "" } = {}, operations = {} } = contract
  const confirmed = ContractTable.rows(contract).filter(({ operation }) => Object.hasOwn(operations, operation))
  return new Map(
    confirmed.flatMap(({ method, operation, path }) => {
      const entry = operations[operation]
      const page = typeof entry === "object" ? entry.source?.page : undefined
      const end = templateOf(`${prefix}${path}`)
      const found =
        theirs.find(({ place }) => place === page) ??
        theirs.find((other) => other.method === method && templateOf(other.path).endsWith(end))
      return found === undefined ? [] : [[templateOf(routeOf(found)), operation] as const]
    })
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
    const said = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
    const [old, now] = [yield* readDocument(before), yield* readDocument(after)]
    const entries = inForce(said, old)
    const changes = diff(old, now).map((change) => ({
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
