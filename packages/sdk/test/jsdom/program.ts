/** Imports every entry point, and builds each kind of client. */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Environment, Vaults } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { Console, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

const name = Effect.map(Vaults.details(), (vault) => vault.name)
const stubs = CustodyTest.stub({ "vaults.details": () => Effect.succeed({ name: "Vault 2" }) })

const environment = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
const options = { environment, apiKey: Redacted.make("one-time key") }
const overFetch = Custody.layer(options).pipe(Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer]))
const overUndici = NodeCustody.layer({ ...options, sessionFile: "/nowhere/session.db" })

const refusal = <A>(layer: Layer.Layer<A, Custody.LayerError>) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(layer))), ({ _tag, message }) => `${_tag}: ${message}`)

const program = Effect.gen(function* () {
  yield* Console.log(`emulator: ${yield* Effect.provide(name, CustodyEmulator.layer)}`)
  yield* Console.log(`stub: ${yield* Effect.provide(name, stubs)}`)
  yield* Console.log(`Custody: ${yield* refusal(overFetch)}`)
  yield* Console.log(`NodeCustody: ${yield* refusal(overUndici)}`)
})

await Effect.runPromise(program)
