/** The OpenAPI document of an API under a contract, for third-party tools. */
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Code from "./compile/code.ts"
import { saidOf, shapesOf } from "./compile/compile.ts"
import * as Document from "./document/document.ts"
import type { Json } from "./document/schema.ts"
import * as Plan from "./language/plan.ts"
import type { ServiceContract } from "./ServiceContract.ts"

/** A path of ours, as OpenAPI writes it. */
const templated = (path: string): string => path.replaceAll(/:([^/]+)/g, "{$1}")

type Said = NonNullable<ServiceContract["said"]>

const contextsOf = ({ api, contract }: Said): ReadonlyMap<string, Document.Context> =>
  new Map(
    [...shapesOf(api)].map(([name, shape]) => {
      const { defaults, entry } = saidOf(contract, name)
      const isCode = Code.isCode(entry)
      const said = Code.isCode(entry) ? Code.saidOf(entry) : entry === true || entry === undefined ? {} : entry
      return [name, { plan: Plan.make(shape, said, defaults), isConfirmed: entry !== undefined, isCode }]
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
 * The OpenAPI document of an API under a contract. Operations that the contract does not confirm are as assumed, under its
 * defaults. Two operations at the same method and path are one: `transactions.send+transactions.transfer`.
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
 * const document = Effect.map(ServiceContract.ServiceContract, ({ said }) =>
 *   ContractDocument.make(OpenApi.fromApi(CustodyApi), said)
 * )
 * const contract = ServiceContract.layer({ defaults: { casing: "snake_case" } }, CustodyApi)
 * const underContract = document.pipe(Effect.provide(contract))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (document: OpenApi.OpenAPISpec, said: Said | undefined): OpenApi.OpenAPISpec => {
  if (said === undefined) return document
  const contexts = contextsOf(said)
  const paths = new Map<string, Record<string, Json>>()
  /** The first of the paths that differ only in the names of their parameters. */
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
    const made = Document.operation(operation, context)
    paths.set(at, { ...others, [method]: other === undefined ? made : Document.merged(other, made) })
  }
  const of = said.contract.source?.document
  const under = of === undefined ? "a contract" : `the contract of ${of}`
  const described = Object.fromEntries(paths)
  return {
    ...document,
    components: { ...document.components, schemas: usedSchemas(described, document.components.schemas) },
    info: { ...document.info, description: `Derived from the contracts of effect-custody, under ${under}.` },
    paths: described as OpenApi.OpenAPISpec["paths"]
  }
}
