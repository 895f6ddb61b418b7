/** `custody contract show`: the request of a call, and the records that an answer becomes. Nothing is sent. */
import * as AnswerReport from "@effect-custody/core/AnswerReport"
import * as ExactJson from "@effect-custody/core/ExactJson"
import * as JsonText from "@effect-custody/contract/JsonText"
import * as Operation from "@effect-custody/core/Operation"
import * as Shape from "@effect-custody/core/Shape"
import type { Wire } from "@effect-custody/core/Wires"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Call from "../service/call.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, type Fields, toJson } from "../service/endpoints.ts"
import * as Rehearsal from "../service/rehearsal.ts"
import * as Output from "../terminal/output.ts"

/** The maximum number of records to show. */
const maxRecords = 10

/** The fields of a record, with those of records in it: `asset.symbol`. */
const fieldsIn = (shape: Shape.Shape, within: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  [...(Shape.getRecord(shape)?.fields ?? [])].flatMap(([name, inner]) =>
    inner._tag === "Record" ? fieldsIn(inner, [...within, name]) : [[...within, name]]
  )

const text = (value: unknown): string => (value === undefined ? "-" : JSON.stringify(value))

/** Each field of the records with its value, its place in the answer, and what stands there. */
export const records = (
  endpoint: AnyEndpoint,
  place: Wire["place"],
  result: unknown,
  body: unknown
): ReadonlyArray<string> => {
  const shape = Shape.payload(endpoint)
  const rows = AnswerReport.recordsIn(result)
  const table = rows.slice(0, maxRecords).flatMap((row, index) => [
    ...fieldsIn(shape).map((names) => {
      const at = place(["data", ...(shape._tag === "List" ? [String(index)] : []), ...names])
      return [
        names.join("."),
        text(ExactJson.at(toJson(row), names)),
        `from ${at.join(".")}`,
        text(ExactJson.at(body, at))
      ]
    }),
    ["not read", text(row["extra"] ?? {}), "", ""],
    []
  ])
  const more = rows.length > maxRecords ? [`and ${rows.length - maxRecords} more`] : []
  return [...Output.table(table), ...more]
}

/** The status of a success under a contract: the declared one, if it is one. */
const successStatus = (endpoint: AnyEndpoint, wire: Wire, body: unknown): number =>
  [endpoint.status, 200, 201, 202].find((status) => wire.answer({ status, body }, undefined) !== undefined) ?? 200

export const command = CliCommand.make(
  "show",
  {
    ...Call.config,
    answer: Flag.File("answer").pipe(
      Flag.withDescription("A file with the JSON of an answer: shows what it becomes"),
      Flag.optional
    ),
    status: Flag.Int("status").pipe(Flag.withDescription("The status of the answer; default: a success"), Flag.optional)
  },
  Effect.fnUntraced(function* ({ answer, contract, status, ...given }) {
    const { endpoint, input } = yield* Call.read(given)
    if (Option.isNone(answer)) {
      return yield* Output.lines(Rehearsal.lines((yield* Rehearsal.run(endpoint, input, contract)).request))
    }
    const body = yield* Output.orFail(FileSystem.FileSystem.use((files) => files.readFileString(answer.value)))
    const json = JsonText.read(body)
    if (Result.isFailure(json)) return yield* Output.failure(`${answer.value}: ${json.failure.message}`)
    const wires = yield* Effect.provide(ServiceContract.ServiceContract, ContractFiles.layer(contract))
    const wire = wires.wire(endpoint) ?? Operation.codec(endpoint).wire
    const { request, result } = yield* Rehearsal.run(endpoint, input, contract, {
      status: Option.getOrElse(status, () => successStatus(endpoint, wire, json.success)),
      body
    })
    yield* Output.lines([...Rehearsal.lines(request), ""])
    if (Result.isFailure(result)) return yield* Output.failure(`${result.failure._tag}: ${result.failure.message}`)
    yield* Output.lines(records(endpoint, wire.place, result.success, json.success))
    const { meta } = result.success as Fields
    if (meta !== undefined) yield* Output.lines([`page ${text(meta)}`])
  })
).pipe(
  CliCommand.withDescription(
    "Shows the request of a call under the contract and, with --answer, each field that an answer becomes. Sends nothing"
  )
)
