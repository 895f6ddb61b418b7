/** `custody call`: one operation, with the session and the contract of the environment. */
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Service from "./environment.ts"
import * as ContractFiles from "./contractFiles.ts"
import { endpoints, type Fields, inputOf, toJson } from "./endpoints.ts"
import * as Output from "./output.ts"

const config = {
  operation: Argument.String("operation").pipe(Argument.withDescription("Such as vaults.details")),
  fields: Argument.String("field=value").pipe(
    Argument.withDescription("Fields of the input as text, such as clientId=alice amount=12.50"),
    Argument.variadic()
  ),
  input: Flag.String("input").pipe(
    Flag.withDescription("The input as a JSON object; field=value arguments take precedence"),
    Flag.withMetavar("JSON"),
    Flag.optional
  ),
  contract: ContractFiles.flag,
  yes: Output.yes
}

/** `name=value` as an entry. */
const entryOf = (text: string): readonly [string, string] | undefined => {
  const at = text.indexOf("=")
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)]
}

const parsed = (text: string): Fields | undefined => {
  const value = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  return Predicate.isReadonlyObject(value) && !Array.isArray(value) ? value : undefined
}

/** The fields of the input, from `--input` and from the arguments. */
const fieldsOf = Effect.fnUntraced(function* (input: Option.Option<string>, texts: ReadonlyArray<string>) {
  const given = Option.isNone(input) ? {} : parsed(input.value)
  if (given === undefined) return yield* Output.failure("--input must be a JSON object")
  const entries = texts.map(entryOf)
  const wrong = texts.find((_, at) => entries[at] === undefined)
  if (wrong !== undefined) return yield* Output.failure(`"${wrong}" must be written as field=value`)
  return { ...given, ...Object.fromEntries(entries.filter(Predicate.isNotUndefined)) }
})

export const command = CliCommand.make(
  "call",
  config,
  Effect.fnUntraced(function* ({ contract, fields: texts, input, operation, yes }) {
    const endpoint = endpoints.get(operation)
    if (endpoint === undefined) {
      return yield* Output.failure(`there is no operation "${operation}": see custody contract list`)
    }
    if (endpoint.safety === "session") {
      return yield* Output.failure(`${operation} spends a one-time secret: see custody session start`)
    }
    const fields = yield* fieldsOf(input, texts)
    const decoded = yield* Effect.mapError(Effect.fromResult(inputOf(endpoint, fields)), (reason) =>
      Output.failure(reason)
    )
    const { baseUrl } = yield* Service.configured
    if (endpoint.safety !== "read") yield* Output.ask(`Send ${operation} to ${baseUrl}?`, yes)
    const result = yield* Effect.suspend(() => endpoint(decoded)).pipe(
      Effect.provide(ContractFiles.inForce(ContractFiles.layer(contract))),
      Effect.mapError((error) => Output.failure(`${error._tag}: ${error.message}`, error))
    )
    yield* Output.value(toJson(result))
  })
).pipe(
  CliCommand.withDescription(
    "Calls one operation and prints its result as JSON. Asks before it sends anything except a read"
  ),
  CliCommand.withExamples([
    { command: "custody call vaults.details" },
    { command: "custody call transactions.list clientId=alice limit=5" }
  ])
)
