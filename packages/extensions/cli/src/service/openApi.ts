/** `custody openapi`: prints the API as an OpenAPI 3.1 document, as it is assumed. */
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Output from "../terminal/output.ts"

export const command = CliCommand.make("openapi", {}, () =>
  Effect.suspend(() => Output.value(OpenApi.fromApi(HttpApi)))
).pipe(CliCommand.withDescription("Prints the API, as it is assumed, as an OpenAPI 3.1 document"))
