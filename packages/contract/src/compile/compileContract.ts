/** Compiles each operation of an API under a contract, once. Pure. */
import { type Api, type Contract, differences, findEntry, isCode, operationShapes } from "../language/contract.ts"
import * as Plan from "../plan/plan.ts"
import * as ClientWire from "./clientWire.ts"
import * as CodeWire from "./codeWire.ts"
import type { CompiledOperation } from "./compiledOperation.ts"
import * as InverseWire from "./inverseWire.ts"

export const compileContract = (api: Api, contract: Contract): ReadonlyMap<string, CompiledOperation> =>
  new Map(
    [...operationShapes(api)].map(([name, shape]): readonly [string, CompiledOperation] => {
      const { defaults, entry } = findEntry(contract, name)
      const plan = Plan.make(shape, differences(entry), defaults)
      if (isCode(entry)) return [name, CodeWire.compile(plan, entry)]
      return [name, { wire: ClientWire.make(plan), inverse: InverseWire.make(plan) }]
    })
  )
