// A payout by the ledger: over `NodeCustody`, or with the argument `fetch` over what runs where undici does not.
import { Amount, Environment } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody, TokenStore } from "@effect-custody/sdk"
import { Config, Console, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

const overFetch = Layer.unwrap(
  Effect.map(
    Config.all({ url: Config.NonEmptyString("CUSTODY_BASE_URL"), apiKey: Config.Redacted("CUSTODY_API_KEY") }),
    ({ apiKey, url }) =>
      Custody.layer({ environment: Environment.emulator(url), apiKey }).pipe(
        Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer])
      )
  )
)

const order = { clientId: "alice", assetId: "usdc", to: "0x7", amount: Amount.of("3") }
const ledger = Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: ":memory:" })))

await Effect.raceFirst(Payouts.pay("invoice-1", order), Payouts.run).pipe(
  Effect.flatMap(({ state }) => Console.log(`the payout is ${state}`)),
  Effect.catchTag("LedgerError", ({ message }) => Console.log(message)),
  Effect.provide([ledger, process.argv[2] === "fetch" ? overFetch : NodeCustody.layerConfig()]),
  Effect.runPromise
)
