/** `custody openapi`: the whole API as an OpenAPI 3.1 document. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Output from "./output.ts"

/** Writes the document to a file or to standard output. */
export const command = CliCommand.make("openapi", { out: Output.out("openapi.json") }, ({ out }) =>
  Effect.suspend(() => {
    const document = OpenApi.fromApi(CustodyApi)
    return Output.write(out, document, `OpenAPI ${document.openapi}, ${CustodyApi.operations.length} operations`)
  })
).pipe(CliCommand.withDescription("Writes the whole API as an OpenAPI 3.1 document"))
