/** Completes the OpenAPI document of the contracts. Pure. */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import { queryName } from "@effect-custody/core/siblings/Wires"
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Errors from "./openApiErrors.ts"
import { type Direction, files, type JsonSchema, rewrite } from "./openApiSchema.ts"
import * as Summaries from "./summaries.ts"
import { version } from "./version.ts"

type Contracts = ReadonlyArray<Declaration.Declaration>

type Operation = OpenApi.OpenAPISpecOperation

const scheme = "accessToken"

const securityScheme: OpenApi.OpenAPISecurityScheme = {
  type: "apiKey",
  in: "header",
  name: "X-ACCESS-TOKEN",
  description: "The raw access token, with no Bearer prefix. From authentication.generateTokens or refreshToken."
}

const describeProvenance = ({ isMultipart, provenance }: Declaration.Declaration): string => {
  if (provenance === "specified") return "The specification shows the method and path."
  if (isMultipart) {
    return (
      "The specification says what this is for, and that it takes multipart/form-data. Its method, path, fields and " +
      "answer are assumed. Confirm them before use."
    )
  }
  return "The specification says what this is for and does not show its wire: all of it is assumed. Confirm it before use."
}

const isNumeric = (schema: JsonSchema | undefined): boolean =>
  schema?.["type"] === "integer" || schema?.["type"] === "number"

/** The schemas of the numbers in a query, which travel as text. */
const queryNumbers = (declaration: Declaration.Declaration): ReadonlyMap<string, JsonSchema> => {
  const { query } = Declaration.codecs(declaration)
  if (query === undefined) return new Map()
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(query))
  return new Map(
    Object.entries(schema["properties"] as Record<string, JsonSchema>).filter(([, field]) => isNumeric(field))
  )
}

const rewriteParameters = ({ parameters }: Operation, declaration: Declaration.Declaration) => {
  const numbers = queryNumbers(declaration)
  return parameters.map((parameter) => ({
    ...parameter,
    name: parameter.in === "query" ? queryName(parameter.name) : parameter.name,
    schema: rewrite((parameter.in === "query" ? numbers.get(parameter.name) : undefined) ?? parameter.schema, "request")
  }))
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, f: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))

const rewriteContent = (body: JsonSchema, direction: Direction): JsonSchema => ({
  ...body,
  content: mapValues<JsonSchema, JsonSchema>(body["content"] ?? {}, (media, type) => {
    const schema = rewrite(media["schema"], direction)
    return { ...media, schema: type === "multipart/form-data" ? files(schema) : schema }
  })
})

const completeOperation = (operation: Operation, declaration: Declaration.Declaration): object => ({
  ...operation,
  "x-provenance": declaration.provenance,
  "x-safety": declaration.safety,
  "x-specification": declaration.section,
  summary: Summaries.operations[operation.operationId],
  description: `${describeProvenance(declaration)} Specification: ${declaration.section}.`,
  parameters: rewriteParameters(operation, declaration),
  ...(operation.requestBody === undefined ? {} : { requestBody: rewriteContent(operation.requestBody, "request") }),
  // The authentication endpoints spend a one-time secret, and take no token.
  security: declaration.safety === "session" ? [] : [{ [scheme]: [] }],
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, answer]) => [
      status,
      Errors.response(rewriteContent(answer, "response"))
    ])
  )
})

/**
 * Completes the document that Effect derives: adds summaries, codes and security, and opens the schemas of answers for
 * fields that the service may add.
 */
const complete =
  (all: Contracts) =>
  (document: Record<string, any>): Record<string, any> => {
    // Effect also applies an API's annotations to the tags of another API that reuses its groups.
    if (document["paths"] === undefined) return document
    const contracts = new Map(all.map((one) => [one.operation, one]))
    const paths: Record<string, Record<string, Operation>> = document["paths"]
    const tags: ReadonlyArray<{ readonly name: string }> = document["tags"]
    return {
      ...document,
      info: {
        ...document["info"],
        contact: { name: "effect-custody" },
        license: { name: "MIT", identifier: "MIT" }
      },
      tags: tags.map((tag) => ({ ...tag, description: Summaries.categories[tag.name] })),
      paths: mapValues(paths, (operations) =>
        mapValues(operations, (operation) => {
          const declaration = contracts.get(operation.operationId)
          return declaration === undefined ? operation : completeOperation(operation, declaration)
        })
      ),
      components: {
        ...document["components"],
        schemas: mapValues(document["components"].schemas as Record<string, JsonSchema>, (schema, name) =>
          Errors.body(name, rewrite(schema, "response"))
        ),
        securitySchemes: { [scheme]: securityScheme }
      }
    }
  }

/** The annotations of the whole API. */
export const annotations = (all: Contracts): Context.Context<never> =>
  Context.make(OpenApi.Title, "Custody service").pipe(
    Context.add(OpenApi.Version, version),
    Context.add(
      OpenApi.Description,
      "Derived from the contracts of effect-custody. `x-provenance` tells, for each operation, whether the service's " +
        "specification shows its method and path, or whether they are assumed."
    ),
    Context.add(OpenApi.Servers, [
      {
        url: "https://{subdomain}.{host}/api/integration",
        description: "Production or sandbox: they differ by host.",
        variables: { subdomain: { default: "subdomain" }, host: { default: "custody.example" } }
      }
    ]),
    Context.add(OpenApi.Transform, complete(all))
  ) as unknown as Context.Context<never>
