/** `custody contract import`: turns a service's document into a contract file with proposals only. */
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { ownOperations } from "@effect-custody/contract/unstable/OperationMatch"
import { type Entry, propose, toFile } from "@effect-custody/contract/unstable/Proposal"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { read } from "./documentText.ts"
import * as Output from "../terminal/output.ts"

export const readDocument = Effect.fnUntraced(function* (file: string) {
  const text = yield* Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file)))
  return yield* Effect.mapError(Effect.fromResult(read(text)), (reason) => Output.failure(`${file}: ${reason}`))
})

const tones = { proposed: "good", undecided: "doubtful", absent: "bad" } as const

const formatEntries = (entries: ReadonlyArray<Entry>, paint: Output.Paint): ReadonlyArray<string> =>
  entries.flatMap(({ candidates, look, operation, verdict }) => [
    `${operation.padEnd(32)}${paint(tones[verdict], verdict)}`,
    ...candidates.map(({ reason, score, theirs }) => `    ${theirs} (${score.toFixed(2)}; ${reason})`),
    ...look.map((text) => `    ${paint("doubtful", "look:")} ${text}`)
  ])

export const command = CliCommand.make(
  "import",
  {
    file: Argument.File("file", { mustExist: true }).pipe(
      Argument.withDescription("OpenAPI 3 (JSON or YAML) or a Postman collection 2.1")
    ),
    out: Output.out("custody.contract.json"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ file, json, out }) {
    const document = yield* readDocument(file)
    const proposal = propose(document, ownOperations(CustodyApi, OpenApi.fromApi(HttpApi)))
    if (json) return yield* Output.value({ document: document.title, ...proposal })
    const contract = toFile(proposal, {
      document: `${document.title} (${document.kind})`,
      date: DateTime.formatIsoDateUtc(yield* DateTime.now)
    })
    if (out === "-") return yield* Output.value(contract)
    const paint = yield* Output.paint
    yield* Output.lines(proposal.look.map((text) => `${paint("doubtful", "look:")} ${text}`))
    yield* Output.write(out, contract, "nothing is confirmed yet; review it, then run custody contract accept")
    yield* Output.lines(formatEntries(proposal.entries, paint))
    if (proposal.unused.length > 0) yield* Output.lines([`no match in the SDK: ${proposal.unused.join(", ")}`])
    const count = (verdict: Entry["verdict"]) => proposal.entries.filter((entry) => entry.verdict === verdict).length
    yield* Console.log(`${count("proposed")} proposed, ${count("undecided")} undecided, ${count("absent")} absent`)
  })
).pipe(
  CliCommand.withDescription("Writes which operations of a service's document are ours, as proposals. Confirms nothing")
)
