// Every name that the README uses is there: Node fails at an import of a name that is not.
import { CustodyEmulator } from "@effect-custody/emulator"
import { Vaults } from "@effect-custody/sdk"
import { Effect } from "effect"

export { TokenStore } from "@effect-custody/authentication"
export { Adapter } from "@effect-custody/contract"
export { Amount, Environment, RetryPolicy } from "@effect-custody/core"
export { NodeCustody } from "@effect-custody/node"
export { Custody } from "@effect-custody/sdk"

const vault = await Effect.runPromise(Effect.provide(Vaults.details(), CustodyEmulator.layer))
if (vault.name === undefined) throw new Error("the vault has no name")
