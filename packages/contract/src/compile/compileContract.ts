/** Compiles each operation of an API under a contract, once. Pure. */
import type { Declaration } from "@effect-custody/core/unstable/Declaration"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import { type Api, type Contract, findEntry, operationShapes } from "../language/contract.ts"
import * as Plan from "../plan/plan.ts"
import * as ClientWire from "./clientWire.ts"

export const compileContract = (api: Api, contract: Contract): ReadonlyMap<Declaration, Wire> =>
  new Map(
    [...operationShapes(api)].map(([name, shape]) => {
      const plan = Plan.make(shape, findEntry(contract, name), contract.defaults ?? {})
      return [shape.declaration, ClientWire.make(plan)]
    })
  )
