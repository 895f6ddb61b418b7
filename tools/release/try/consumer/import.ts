// Every name that the README uses is there.
import { TokenStore } from "@effect-custody/authentication"
import { ServiceContract } from "@effect-custody/contract"
import { Amount, Environment, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import { Effect } from "effect"

for (const [name, value] of Object.entries({
  Amount,
  Custody,
  CustodyEmulator,
  Environment,
  NodeCustody,
  RetryPolicy,
  TokenStore,
  Vaults,
  ServiceContract
}))
  if (value === undefined) throw new Error(`${name} is missing`)

const vault = await Effect.runPromise(Effect.provide(Vaults.details(), CustodyEmulator.layer))
if (vault.name === undefined) throw new Error("the vault has no name")
