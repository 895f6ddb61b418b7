/** A contract, its entries, and the operations of its API. Pure. */
import type * as Declaration from "@effect-custody/core/Declaration"
import type * as Operation from "@effect-custody/core/Operation"
import * as Shape from "@effect-custody/core/Shape"
import type { EncodedBody } from "@effect-custody/core/Wires"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import type { Differences, File } from "./ContractFile.ts"
import { type Code, CodeTypeId } from "./Wire.ts"

export interface Api {
  /** The endpoints of each category. The key of a category and of an endpoint make the name: `reports.daily`. */
  readonly categories: Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>
}

export type Entry = true | Differences | Code

/** A contract whose entries are data or code. */
export interface Contract extends Omit<File, "operations"> {
  readonly operations?: Readonly<Record<string, Entry>>
}

/** A contract without mistakes, and its API. */
export interface CheckedContract {
  readonly contract: Contract
  readonly api: Api
}

export const isCode = (u: unknown): u is Code => Predicate.hasProperty(u, CodeTypeId)

/** An operation, and what its schemas say of its input and its answer. */
export interface OperationShape {
  readonly declaration: Declaration.Declaration
  readonly input: ReadonlyMap<string, Shape.InputField>
  readonly body: EncodedBody["_tag"]
  readonly payload: Shape.Shape
  /** `true` if a success must have a payload. */
  readonly needsPayload: boolean
  /** `true` if the input has `page` and `limit`. */
  readonly isPaged: boolean
}

const makeShape = (declaration: Declaration.Declaration): OperationShape => ({
  declaration,
  input: Shape.input(declaration),
  body: declaration.payload === undefined ? "None" : declaration.isMultipart ? "Multipart" : "Json",
  payload: Shape.payload(declaration),
  needsPayload: Shape.needsPayload(declaration),
  isPaged: Shape.isPaged(declaration)
})

export const operationShapes = ({ categories }: Api): ReadonlyMap<string, OperationShape> =>
  new Map(
    Object.values(categories)
      .flatMap((endpoints) => Object.values(endpoints))
      .map((endpoint) => [endpoint.operation, makeShape(endpoint)])
  )

/** The entry of an operation. An operation without one has its assumed wire, with the defaults applied. */
export const findEntry = ({ operations = {} }: Contract, name: string): Entry | undefined =>
  Object.hasOwn(operations, name) ? operations[name] : undefined

/** What an entry says as data. */
export const differences = (entry: Entry | undefined): Differences => {
  if (entry === undefined || entry === true) return {}
  return isCode(entry) ? Struct.omit(entry, [CodeTypeId, "answer", "operation", "request"]) : entry
}

/** The route of an operation under its entry, without the contract's prefix. */
export const routeOf = ({ route }: Declaration.Declaration, { route: own }: Differences): Declaration.Route => {
  if (own === undefined) return route
  const [, method = route.method, path = ""] = /^(?:(GET|POST|PUT|PATCH|DELETE) )?([^]*)$/.exec(own) ?? []
  return { method: method as Declaration.Route["method"], path }
}
