/** The reference of the service's API, with its assumed wire. */
import { HttpApi as CustodyApi } from "@effect-custody/sdk/HttpApi"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import * as OpenApi from "effect/http-api/OpenApi"
import { inventedCodes } from "../http/inventedCodes.ts"

const codes = `

This emulator answers some errors with codes of its own, E50001 and up: the specification shows none for them.

| code | meaning |
| --- | --- |
${Object.entries(inventedCodes)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}`

/** The service's API with its assumed wire, at the emulator's address. */
const serviceApi = (baseUrl: string) =>
  CustodyApi.annotate(OpenApi.Transform, () => {
    const document = OpenApi.fromApi(CustodyApi)
    const info = { ...document.info, description: `${document.info.description ?? ""}${codes}` }
    return { ...document, info, servers: [{ url: baseUrl, description: "This emulator." }] }
  })

export const document = (baseUrl: string) => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(serviceApi(baseUrl)))

/** Allows Swagger UI, but nothing from other origins. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'"

/** Serves the reference as Swagger UI, at `/docs`. */
export const reference = (baseUrl: string) =>
  HttpRouter.toHttpEffect(HttpApiSwagger.layer(serviceApi(baseUrl), { path: "/docs" })).pipe(
    Effect.flatten,
    Effect.orDie,
    Effect.map(HttpServerResponse.setHeader("content-security-policy", policy))
  )
