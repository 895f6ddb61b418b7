/** The documents of the API reference: one for the assumed wire of the service, and one for the controls. */
import { HttpApi as CustodyApi } from "@effect-custody/sdk/HttpApi"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import * as OpenApi from "effect/http-api/OpenApi"
import { inventedCodes } from "../http/inventedCodes.ts"

export { ControlApi } from "../control/controlContract.ts"

const codes = `

This emulator answers some errors with codes of its own, E50001 and up: the specification shows none for them.

| code | meaning |
| --- | --- |
${Object.entries(inventedCodes)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}`

/** The service's API with its assumed wire, at the emulator's address. */
export const serviceApi = (baseUrl: string) =>
  CustodyApi.annotate(OpenApi.Transform, () => {
    const document = OpenApi.fromApi(CustodyApi)
    const info = { ...document.info, description: `${document.info.description ?? ""}${codes}` }
    return { ...document, info, servers: [{ url: baseUrl, description: "This emulator." }] }
  })

export const document = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api)))

/** Allows Swagger UI, but nothing from other origins. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'"

/** Serves the reference documentation of an API, as Swagger UI, at a path. */
export const reference = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  path: `/${string}`
) =>
  HttpRouter.toHttpEffect(HttpApiSwagger.layer(api, { path })).pipe(
    Effect.flatten,
    Effect.orDie,
    Effect.map(HttpServerResponse.setHeader("content-security-policy", policy))
  )
