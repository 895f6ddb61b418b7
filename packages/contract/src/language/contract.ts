/** A contract, its entries, and the operations of its API. Pure. */
import type * as Operation from "@effect-custody/core/unstable/Operation"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import type { Differences, File } from "./ContractFile.ts"
import * as Shape from "./operationShape.ts"
import type { OperationShape } from "./operationShape.ts"
import { type Code, CodeTypeId } from "./Wire.ts"

export interface Api {
  /** The endpoints of each category. The key of a category and of an endpoint make the name: `reports.daily`. */
  readonly categories: Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>
}

type Entry = true | Differences | Code

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

export const operationShapes = ({ categories }: Api): ReadonlyMap<string, OperationShape> =>
  new Map(
    Object.values(categories)
      .flatMap((endpoints) => Object.values(endpoints))
      .map((endpoint) => [endpoint.operation, Shape.make(endpoint)])
  )

/** The entry of an operation. An operation without one has its assumed wire, with the defaults applied. */
export const findEntry = ({ operations = {} }: Contract, name: string): Entry | undefined =>
  Object.hasOwn(operations, name) ? operations[name] : undefined

/** The differences of an entry, as data. For an entry in code, they are its method, path, statuses and filters. */
export const differences = (entry: Entry | undefined): Differences => {
  if (entry === undefined || entry === true) return {}
  if (!isCode(entry)) return entry
  return Struct.pick(entry, ["method", "path", "success", "proven"])
}
