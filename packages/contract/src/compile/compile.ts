/** Every operation of an API under a contract, compiled once. Pure. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Differences, File } from "../language/ContractFile.ts"
import type { Code as WireInCode } from "../language/Wire.ts"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Shape from "@effect-custody/core/unstable/Shape"
import * as Code from "./code.ts"
import type { Compiled } from "./compiled.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "../language/plan.ts"
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
      EndpointSpec.ofGroup(group).map((contract) => {
        const name = `${group.identifier}.${EndpointSpec.parts(contract).name}`
        return [name, Shape.make(name, contract)] as const
      })
    )
  )

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
