/** Compiles each operation of an API under a contract, once. Pure. */
import type { Inverse, Wire } from "@effect-custody/core/unstable/Wires"
import { type Api, type Contract, differences, findEntry, isCode, operationShapes } from "../language/contract.ts"
import * as Plan from "../plan/plan.ts"
import * as ClientWire from "./clientWire.ts"
import * as CodeWire from "./codeWire.ts"
import * as InverseWire from "./inverseWire.ts"

export interface CompiledOperation {
  readonly wire: Wire
  /** The service's side of the wire, or the reason why the operation has none. */
  readonly inverse: Inverse | string
}

export const compileContract = (api: Api, contract: Contract): ReadonlyMap<string, CompiledOperation> =>
  new Map(
    [...operationShapes(api)].map(([name, shape]): readonly [string, CompiledOperation] => {
      const { defaults, entry } = findEntry(contract, name)
      const plan = Plan.make(shape, differences(entry), defaults)
      return [
        name,
        isCode(entry)
          ? { wire: CodeWire.make(plan, entry), inverse: CodeWire.makeInverse(plan, entry) }
          : { wire: ClientWire.make(plan), inverse: InverseWire.make(plan) }
      ]
    })
  )
