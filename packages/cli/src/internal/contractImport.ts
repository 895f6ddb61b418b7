/** `custody contract import`: turns a service's document into a contract file with proposals only. */
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as ContractImport from "../ContractImport.ts"
import * as Output from "./output.ts"

/** Reads a document of an API. */
export const readDocument = Effect.fnUntraced(function* (file: string) {
  const text = yield* Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file)))
  return yield* Effect.mapError(Effect.fromResult(ContractImport.read(text)), (reason) =>
    Output.failure(`${file}: ${reason}`)
  )
})

const tones = { proposed: "good", undecided: "doubtful", absent: "bad" } as const

const rowsOf = (
  entries: ReadonlyArray<ContractImport.Entry>,
  paint: (tone: Output.Tone, text: string) => string
): ReadonlyArray<string> => {
  const table = Output.table(
    entries.map(({ operation, score, theirs, verdict }) => [
      operation,
      // The codes of a colour have no width, so the column is padded before it is coloured.
      paint(tones[verdict], verdict.padEnd("undecided".length)),
      score === undefined ? "" : score.toFixed(2),
      theirs ?? ""
    ])
  )
  return entries.flatMap(({ look, reason, rivals }, index) => [
    table[index]!,
    paint("aside", `    ${reason}`),
    ...rivals.map((rival) => `    candidate: ${rival.theirs} (${rival.score.toFixed(2)}; ${rival.reason})`),
    ...look.map((text) => `    ${paint("doubtful", "look:")} ${text}`)
  ])
}

export const command = CliCommand.make(
  "import",
  {
    file: Argument.File("file", { mustExist: true }).pipe(
      Argument.withDescription("OpenAPI 3 (JSON or YAML), a Postman collection 2.1, or a HAR")
    ),
    out: Output.out("custody.contract.json"),
    url: Flag.String("url").pipe(
      Flag.withDescription("Where the document is published; it is written into the file"),
      Flag.withMetavar("URL"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ file, json, out, url }) {
    const fileSystem = yield* FileSystem.FileSystem
    if (out !== "-" && !json && (yield* Output.orFail(fileSystem.exists(out)))) {
      return yield* Output.failure(`${out} exists already: choose another name with --out, and compare the two`)
    }
    const document = yield* readDocument(file)
    const proposal = ContractImport.propose(document)
    if (json) return yield* Output.value({ document: document.title, ...proposal })
    const contract = ContractImport.toFile(proposal, {
      document: `${document.title} (${document.kind})`,
      ...(Option.isNone(url) ? {} : { url: url.value }),
      date: DateTime.formatIsoDateUtc(yield* DateTime.now)
    })
    if (out === "-") return yield* Output.value(contract)
    const paint = yield* Output.paint
    yield* Output.lines(proposal.look.map((text) => `${paint("doubtful", "look:")} ${text}`))
    yield* Output.lines(rowsOf(proposal.entries, paint))
    if (proposal.unused.length > 0) yield* Console.log(`no match in the SDK: ${proposal.unused.join(", ")}`)
    const count = (verdict: ContractImport.Entry["verdict"]) =>
      proposal.entries.filter((entry) => entry.verdict === verdict).length
    yield* Console.log(`${count("proposed")} proposed, ${count("undecided")} undecided, ${count("absent")} absent`)
    yield* Output.write(out, contract, "nothing is confirmed yet; review it, then run custody contract accept")
  })
).pipe(
  CliCommand.withDescription(
    "Matches the operations of a service's own document with those of the SDK, and writes the clear matches as proposals. It confirms nothing"
  ),
  CliCommand.withExamples([{ command: "custody contract import openapi.yaml" }])
)
