/** `custody call`: calls one operation with the session and the contract of the environment. */
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Client from "./client.ts"
import * as ContractFiles from "./contractFiles.ts"
import { endpoints, type Fields, decodeInput, toJson } from "./endpoints.ts"
import * as Service from "./environment.ts"
import * as Rehearsal from "./rehearsal.ts"
import * as Output from "../terminal/output.ts"

/** The arguments of a command about one call. */
export const config = {
  operation: Argument.String("operation").pipe(Argument.withDescription("Such as vaults.details")),
  fields: Argument.String("field=value").pipe(
    Argument.withDescription("Fields of the input as text, such as clientId=alice amount=12.50"),
    Argument.variadic()
  ),
  input: Flag.String("input").pipe(
    Flag.withDescription("The input as a JSON object; a field=value argument takes the place of its field"),
    Flag.withMetavar("JSON"),
    Flag.optional
  ),
  contract: ContractFiles.flag
}

/** Counts the keys of a JSON value, at every level. */
const countKeys = (value: unknown): number =>
  Predicate.isObjectOrArray(value)
    ? Object.values(value).reduce<number>(
        (sum, inner) => sum + countKeys(inner),
        Array.isArray(value) ? 0 : Object.keys(value).length
      )
    : 0

/** `true` if a key is repeated: then the text has more colons outside of its strings than the value has keys. */
const repeatsKey = (text: string, value: unknown): boolean =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1 > countKeys(value)

/** Reads the fields of a JSON object. Numbers keep their digits. A repeated key is a mistake. */
const readJsonFields = (text: string): Result.Result<Fields, string> =>
  Result.try({ try: () => ExactJson.parse(text), catch: (error) => `--input is not JSON: ${String(error)}` }).pipe(
    Result.filterOrFail(Predicate.isReadonlyObject, () => "--input must be a JSON object"),
    Result.filterOrFail(
      (value) => !repeatsKey(text, value),
      () => "--input repeats a key"
    )
  )

/** Reads all fields. An argument replaces the same field of `--input`. */
const readFields = (input: string, texts: ReadonlyArray<string>): Result.Result<Fields, string> => {
  const fields = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf("=")
    if (at < 1) return Result.fail(`"${text}" must be written as field=value`)
    const name = text.slice(0, at)
    if (fields.has(name)) return Result.fail(`"${name}" is repeated: each field once`)
    fields.set(name, text.slice(at + 1))
  }
  return Result.map(readJsonFields(input), (json) => ({ ...json, ...Object.fromEntries(fields) }))
}

/** Reads the endpoint and the input from the arguments. Refuses an operation that spends a one-time secret. */
export const read = Effect.fnUntraced(function* ({
  fields: texts,
  input,
  operation
}: CliCommand.Command.Config.Infer<Pick<typeof config, "fields" | "input" | "operation">>) {
  const endpoint = endpoints.get(operation)
  if (endpoint === undefined) {
    return yield* Output.failure(`there is no operation "${operation}": see custody contract list`)
  }
  if (endpoint.safety === "session") {
    return yield* Output.failure(`${operation} spends a one-time secret: see custody session start`)
  }
  const fields = readFields(
    Option.getOrElse(input, () => "{}"),
    texts
  )
  const decoded = Result.flatMap(fields, (all) => decodeInput(endpoint, all))
  return Result.isSuccess(decoded) ? { endpoint, input: decoded.success } : yield* Output.failure(decoded.failure)
})

export const command = CliCommand.make(
  "call",
  { ...config, yes: Output.yes },
  Effect.fnUntraced(function* ({ contract, yes, ...given }) {
    const { endpoint, input } = yield* read(given)
    const { baseUrl } = yield* Service.configured
    if (endpoint.safety !== "read") {
      if (!yes) yield* Output.lines(Rehearsal.lines((yield* Rehearsal.run(endpoint, input, contract)).request))
      yield* Output.ask(`Send ${endpoint.operation} to ${baseUrl}?`, yes)
    }
    const result = yield* Effect.suspend(() => endpoint(input)).pipe(
      Effect.provide(Client.under(ContractFiles.layer(contract))),
      Effect.mapError((error) =>
        Output.isUserError(error) ? error : Output.failure(`${error._tag}: ${error.message}`, error)
      )
    )
    yield* Output.value(toJson(result))
  })
).pipe(
  CliCommand.withDescription(
    "Calls one operation and prints its result as JSON. Shows the request and asks before all but reads"
  )
)
