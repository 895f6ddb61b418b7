/** The OpenAPI document of an API under a contract, for third-party tools. */
import type * as OpenApi from "effect/http-api/OpenApi"
import { type CheckedContract, differences, findEntry, isCode, operationShapes } from "../language/contract.ts"
import * as Operation from "./describeOperation.ts"
import type { Json } from "./openApiSchema.ts"
import * as Plan from "../plan/plan.ts"

/** Converts our path to OpenAPI's notation. */
const templated = (path: string): string => path.replaceAll(/:([^/]+)/g, "{$1}")

const operationContexts = ({ api, contract }: CheckedContract): ReadonlyMap<string, Operation.Context> =>
  new Map(
    [...operationShapes(api)].map(([name, shape]) => {
      const { defaults, entry } = findEntry(contract, name)
      const plan = Plan.make(shape, differences(entry), defaults)
      return [name, { plan, isConfirmed: entry !== undefined, isCode: isCode(entry) }]
    })
  )

/** The schemas that the paths use, directly or through another schema. */
const usedSchemas = (paths: Json, schemas: Json): Json => {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the document is JSON.
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name) || schemas[name] === undefined) continue
      used.add(name)
      visit(schemas[name])
    }
  }
  visit(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

/**
 * Describes an API under a contract as an OpenAPI document. Operations that the contract does not confirm have their
 * assumed wire, with the contract's defaults applied. Two operations with the same method and path become one, such as
 * `transactions.send+transactions.transfer`.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @example
 * ```ts
 * import { ContractDocument, ServiceContract } from "@effect-custody/contract"
 * import { CustodyApi } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 * import { OpenApi } from "effect/http-api"
 *
 * const document = Effect.map(ServiceContract.ServiceContract, ({ checked }) =>
 *   ContractDocument.make(OpenApi.fromApi(CustodyApi), checked)
 * )
 * const contract = ServiceContract.layer({ defaults: { casing: "snake_case" } }, CustodyApi)
 * const underContract = document.pipe(Effect.provide(contract))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (document: OpenApi.OpenAPISpec, checked: CheckedContract | undefined): OpenApi.OpenAPISpec => {
  if (checked === undefined) return document
  const contexts = operationContexts(checked)
  const paths = new Map<string, Record<string, Json>>()
  /**
   * OpenAPI treats paths that differ only in the names of their parameters as one path. Maps a path without these names
   * to the first of its spellings.
   */
  const known = new Map<string, string>()
  for (const operation of Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))) {
    const context = contexts.get(operation["operationId"])
    if (context === undefined) continue
    const template = templated(context.plan.route.path)
    const anonymous = template.replaceAll(/{[^/]*}/g, "{}")
    const at = known.get(anonymous) ?? template
    known.set(anonymous, at)
    const method = context.plan.route.method.toLowerCase()
    const { [method]: other, ...others } = paths.get(at) ?? {}
    const made = Operation.describe(operation, context)
    paths.set(at, { ...others, [method]: other === undefined ? made : Operation.merge(other, made) })
  }
  const of = checked.contract.source?.document
  const under = of === undefined ? "a contract" : `the contract of ${of}`
  const described = Object.fromEntries(paths)
  return {
    ...document,
    components: { ...document.components, schemas: usedSchemas(described, document.components.schemas) },
    info: { ...document.info, description: `Derived from the contracts of effect-custody, under ${under}.` },
    paths: described as OpenApi.OpenAPISpec["paths"]
  }
}
