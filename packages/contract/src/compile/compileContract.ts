/** Compiles each operation of an API under a contract, once. Pure. */
import type { Declaration } from "@effect-custody/core/unstable/Declaration"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import { type Api, type Contract, differences, findEntry, isCode, operationShapes } from "../language/contract.ts"
import * as Plan from "../plan/plan.ts"
import * as ClientWire from "./clientWire.ts"
import * as CodeWire from "./codeWire.ts"

export const compileContract = (api: Api, contract: Contract): ReadonlyMap<Declaration, Wire> =>
  new Map(
    [...operationShapes(api)].map(([name, shape]) => {
      const entry = findEntry(contract, name)
      const plan = Plan.make(shape, differences(entry), contract.defaults ?? {})
      return [shape.declaration, isCode(entry) ? CodeWire.make(plan, entry) : ClientWire.make(plan)]
    })
  )
