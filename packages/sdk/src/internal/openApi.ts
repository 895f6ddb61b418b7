/** What the OpenAPI document says beside what the contracts say by themselves. Pure. */
import type * as Contract from "@effect-custody/core/Contract"
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import { version } from "./version.ts"

/** An operation as the contracts annotate it. */
interface Operation extends OpenApi.OpenAPISpecOperation {
  readonly "x-provenance": Contract.Provenance
  readonly "x-safety": Contract.Safety
  readonly "x-specification": string
}

const scheme = "accessToken"

const securityScheme: OpenApi.OpenAPISecurityScheme = {
  type: "apiKey",
  in: "header",
  name: "X-ACCESS-TOKEN",
  description: "The raw access token, with no Bearer prefix. From authentication.generateTokens or refreshToken."
}

/** Answers may hold more than is known of them: a decoder's closed objects are open here. */
const opened = (schema: unknown): any => {
  if (Array.isArray(schema)) return schema.map(opened)
  if (!Predicate.isReadonlyObject(schema)) return schema
  const closed = schema["type"] === "object"
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) => !closed || !(key === "propertyNames" || (key === "additionalProperties" && value === false))
      )
      .map(([key, value]) => [key, opened(value)])
  )
}

const known: Record<Contract.Provenance, string> = {
  specified: "The specification shows the method and path.",
  assumed:
    "The specification says what this is for and does not show its wire: all of it is assumed. Confirm it before use."
}

const described = (operation: Operation) => ({
  ...operation,
  description: `${known[operation["x-provenance"]]} Specification: ${operation["x-specification"]}.`,
  // The authentication endpoints spend a one-time secret, and take no token.
  security: operation["x-safety"] === "session" ? [] : [{ [scheme]: [] }],
  responses: opened(operation.responses)
})

/** The document as Effect derives it, with its security, and open where the service is. */
const complete = (document: Record<string, any>): Record<string, any> => {
  // Effect hands an API's annotations down to the tags of an API that takes its groups over.
  if (document["paths"] === undefined) return document
  const paths: Record<string, Record<string, Operation>> = document["paths"]
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, described(operation)]))
      ])
    ),
    components: {
      ...document["components"],
      schemas: opened(document["components"].schemas),
      securitySchemes: { [scheme]: securityScheme }
    }
  }
}

/** The annotations of the whole API. */
export const annotations: Parameters<typeof OpenApi.annotations>[0] = {
  title: "Custody service",
  version,
  description:
    "Derived from the contracts of effect-custody. `x-provenance` tells, for each operation, whether the service's " +
    "specification shows its method and path, or whether they are assumed.",
  servers: [
    {
      url: "https://{subdomain}.{host}/api/integration",
      description: "Production or sandbox: they differ by host.",
      variables: { subdomain: { default: "subdomain" }, host: { default: "custody.example" } }
    }
  ],
  transform: complete
}
