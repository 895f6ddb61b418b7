/** Every operation of an API under a contract, compiled once. Pure. */
import type { Defaults, Differences } from "../../ContractFile.ts"
import type { Inverse, Wire } from "../../Wire.ts"
import { contractsOf, partsOf } from "../httpApi.ts"
import * as Code from "./wireInCode.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "./plan.ts"
import * as Shape from "./shape.ts"
import * as ClientWire from "./wire.ts"
import type { Api, Entries } from "./entries.ts"

/** The shapes of an API's operations, by name. */
export const shapesOf = (api: Api): ReadonlyMap<string, Shape.OperationShape> =>
  new Map(
    Object.values(api.groups).flatMap((group) =>
      contractsOf(group).map((contract) => {
        const name = `${group.identifier}.${partsOf(contract).name}`
        return [name, Shape.make(name, contract)] as const
      })
    )
  )

/** Both sides of an operation's wire. */
export interface Compiled {
  readonly wire: Wire
  /** The service's side, or why there is none. */
  readonly inverse: Inverse | string
}

const ofData = (shape: Shape.OperationShape, entry: Differences, defaults: Defaults): Compiled => {
  const plan = Plan.make(shape, entry, defaults)
  return { wire: ClientWire.make(plan), inverse: InverseWire.make(plan) }
}

/** Compiles the operations of an API. Those that the contract does not name are as assumed, under its defaults. */
export const make = (api: Api, defaults: Defaults, entries: Entries): ReadonlyMap<string, Compiled> =>
  new Map(
    [...shapesOf(api)].map(([name, shape]) => {
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
      if (Code.isCode(entry)) return [name, Code.compile(shape, entry, defaults)] as const
      return [name, ofData(shape, entry === true || entry === undefined ? {} : entry, defaults)] as const
    })
  )
