/**
 * The OpenAPI document of an API under a contract, for third-party tools: methods, paths, places and names of fields,
 * envelope, types, values, statuses and error bodies are as the contract says.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
 */
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Code from "./internal/contract/wireInCode.ts"
import { shapesOf } from "./internal/contract/compile.ts"
import * as Document from "./internal/contract/document.ts"
import * as DocumentErrors from "./internal/contract/documentErrors.ts"
import { isSaid } from "./internal/contract/errors.ts"
import type { Json } from "./internal/contract/documentSchema.ts"
import * as Plan from "./internal/contract/plan.ts"
import type { Said } from "./WireContract.ts"

/** A path of ours, as OpenAPI writes it. */
const templated = (path: string): string =>
  path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? `{${segment.slice(1)}}` : segment))
    .join("/")

/** A path template without the names of its parameters. */
const anonymous = (path: string): string =>
  path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "{}" : segment))
    .join("/")

/** An operation as it is assumed, without anything from the contract. */
const asAssumed = { errors: {} }

const contextsOf = ({ api, contract }: Said, components: Json) => {
  const { defaults = {}, operations = {}, proposed = {} } = contract
  return new Map(
    [...shapesOf(api)].map(([name, shape]): readonly [string, Document.Context] => {
      // A proposal has no effect, and the defaults do not apply to it.
      if (Object.hasOwn(proposed, name)) {
        const plan = Plan.make(shape, asAssumed, {})
        return [name, { plan, said: asAssumed, defaults: {}, isConfirmed: false, isCode: false, components }]
      }
      const entry = Object.hasOwn(operations, name) ? operations[name] : undefined
      const isCode = Code.isCode(entry)
      const said = Code.isCode(entry) ? Code.saidOf(entry) : entry === true || entry === undefined ? {} : entry
      const plan = Plan.make(shape, said, defaults)
      return [name, { plan, said, defaults, isConfirmed: entry !== undefined, isCode, components }]
    })
  )
}

/**
 * The OpenAPI document of an API under a contract, made from the document of the API itself. Operations that the
 * contract does not confirm are as assumed, under its defaults. Two operations at the same method and path are one in
 * the document: `transactions.send+transactions.transfer`.
 *
 * @example
 * ```ts
 * import { ContractDocument, WireContract } from "@effect-custody/core"
 * import { CustodyApi } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 * import { OpenApi } from "effect/http-api"
 *
 * const document = Effect.map(WireContract.WireContract, ({ said }) =>
 *   ContractDocument.make(OpenApi.fromApi(CustodyApi), said)
 * )
 * const contract = WireContract.layer({ defaults: { casing: "snake_case" } }, CustodyApi)
 * const underContract = document.pipe(Effect.provide(contract))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (document: OpenApi.OpenAPISpec, said: Said | undefined): OpenApi.OpenAPISpec => {
  if (said === undefined) return document
  const { defaults = {}, source } = said.contract
  const components: Json = document.components.schemas
  const contexts = contextsOf(said, components)
  const paths = new Map<string, Record<string, Json>>()
  /** The first of the paths that differ only in the names of their parameters. */
  const known = new Map<string, string>()
  for (const operation of Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))) {
    const context = contexts.get(operation["operationId"])
    if (context === undefined) continue
    const { method, path } = context.plan.route
    const template = templated(path)
    const at = known.get(anonymous(template)) ?? template
    known.set(anonymous(template), at)
    const methods = paths.get(at) ?? {}
    const made = Document.operation(operation, context)
    const other = methods[method.toLowerCase()]
    paths.set(at, { ...methods, [method.toLowerCase()]: other === undefined ? made : Document.merged(other, made) })
  }
  const { errors = {} } = defaults
  const schemas = isSaid(errors)
    ? Object.fromEntries(
        Object.entries<Json>(components).map(([name, schema]) => [name, DocumentErrors.body(name, schema, errors)])
      )
    : components
  const of = source?.document === undefined ? "a contract" : `the contract of ${source.document}`
  return {
    ...document,
    info: { ...document.info, description: `Derived from the contracts of effect-custody, under ${of}.` },
    paths: Object.fromEntries(paths) as OpenApi.OpenAPISpec["paths"],
    components: { ...document.components, schemas }
  }
}
