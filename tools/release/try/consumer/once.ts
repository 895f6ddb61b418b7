// Two payments over `fetch`: to one the service answers 421, from the other it hangs up. The runtime may repeat neither.
import { Amount, Environment } from "@effect-custody/core"
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import { Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { Config, Console, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

const live = Layer.unwrap(
  Effect.map(Config.NonEmptyString("CUSTODY_BASE_URL"), (url) =>
    Custody.layer({
      environment: Environment.emulator(url),
      apiKey: Redacted.make("an-api-key-that-is-used-once")
    }).pipe(Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer]))
  )
)

const pay = (note: string) =>
  Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x7", amount: Amount.of("3"), note }).pipe(
    Effect.flip,
    Effect.flatMap(({ _tag }) => Console.log(`${note}: ${_tag}`)),
    Effect.ignore
  )

// The read leaves a connection behind, on which the payment is sent.
const program = Effect.forEach(["misdirected", "hang up"], (note) => Effect.andThen(Vaults.details(), pay(note)))

await program.pipe(Effect.provide(live), Effect.runPromise)
