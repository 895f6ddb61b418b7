/** `custody openapi`: writes the API as an OpenAPI 3.1 document, as it is assumed. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Output from "../terminal/output.ts"

const config = { out: Output.out("openapi.json"), force: Output.force, json: Output.json }

export const command = CliCommand.make(
  "openapi",
  config,
  Effect.fnUntraced(function* ({ force, json, out }) {
    const document = OpenApi.fromApi(HttpApi)
    const summary = `OpenAPI ${document.openapi}, ${CustodyApi.operations.length} operations`
    yield* Output.write(json ? "-" : out, document, summary, force)
  })
).pipe(
  CliCommand.withDescription("Writes the API, as it is assumed, as an OpenAPI 3.1 document to the file openapi.json")
)
