// What runs where undici does not: `fetch` for the wire, the session in a SQLite file.
import { Environment } from "@effect-custody/core"
import { TokenStoreSqlite } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import { Config, Console, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"

const live = Layer.unwrap(
  Effect.map(
    Config.all({
      url: Config.NonEmptyString("CUSTODY_BASE_URL"),
      apiKey: Config.option(Config.Redacted("CUSTODY_API_KEY")),
      path: Config.NonEmptyString("CUSTODY_SESSION_FILE")
    }),
    ({ apiKey, path, url }) =>
      Custody.layer({ environment: Environment.emulator(url), apiKey: Option.getOrUndefined(apiKey) }).pipe(
        Layer.provide([TokenStoreSqlite.layer({ filename: path }), FetchHttpClient.layer])
      )
  )
)

await Vaults.details().pipe(
  Effect.flatMap((vault) => Console.log(`the vault is ${vault.name}`)),
  Effect.provide(live),
  Effect.runPromise
)
