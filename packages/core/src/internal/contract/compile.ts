/** Every operation of an API under a contract, compiled once. Pure. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Differences, File } from "../../ContractFile.ts"
import type { Code as WireInCode } from "../../Wire.ts"
import type { Inverse, Wire } from "../../unstable/Wires.ts"
import { contractsOf, partsOf } from "../httpApi.ts"
import * as Shape from "../shape.ts"
import * as Code from "./code.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "./plan.ts"
import * as ClientWire from "./wire.ts"

export interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.Constraint>>
}

/** A contract whose entries are data or code. */
export interface Contract extends Omit<File, "operations"> {
  readonly operations?: Readonly<Record<string, true | Differences | WireInCode>>
}

export const shapesOf = (api: Api): ReadonlyMap<string, Shape.OperationShape> =>
  new Map(
    Object.values(api.groups).flatMap((group) =>
      contractsOf(group).map((contract) => {
        const name = `${group.identifier}.${partsOf(contract).name}`
        return [name, Shape.make(name, contract)] as const
      })
    )
  )

export interface Compiled {
  readonly wire: Wire
  /** The service's side, or why there is none. */
  readonly inverse: Inverse | string
}

/**
 * What a contract says about an operation. One that it does not name is as assumed, under its defaults. A proposal has no
 * effect, and the defaults do not apply to it.
 */
export const saidOf = ({ defaults = {}, operations = {}, proposed = {} }: Contract, name: string) => {
  if (Object.hasOwn(proposed, name)) return { entry: undefined, defaults: {} }
  return { entry: Object.hasOwn(operations, name) ? operations[name] : undefined, defaults }
}

export const make = (api: Api, contract: Contract): ReadonlyMap<string, Compiled> =>
  new Map(
    [...shapesOf(api)].map(([name, shape]): readonly [string, Compiled] => {
      const { defaults, entry } = saidOf(contract, name)
      if (Code.isCode(entry)) return [name, Code.compile(shape, entry, defaults)]
      const plan = Plan.make(shape, entry === true || entry === undefined ? {} : entry, defaults)
      return [name, { wire: ClientWire.make(plan), inverse: InverseWire.make(plan) }]
    })
  )
