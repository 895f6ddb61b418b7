/** `custody call`: one operation, with the session and the contract of the environment. */
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Service from "./environment.ts"
import * as ContractFiles from "./contractFiles.ts"
import { fieldsOf } from "./callFields.ts"
import { endpoints, inputOf, toJson } from "./endpoints.ts"
import * as Output from "./output.ts"

const config = {
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
  contract: ContractFiles.flag,
  yes: Output.yes
}

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
    const fields = yield* Effect.mapError(Effect.fromResult(fieldsOf(Option.getOrUndefined(input), texts)), (reason) =>
      Output.failure(reason)
    )
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
