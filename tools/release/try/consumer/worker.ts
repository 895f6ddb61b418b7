// A worker: `fetch`, a session in memory, and nothing of Node.
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { Custody, Vaults } from "@effect-custody/sdk"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

export default {
  fetch: (_request: Request, env: { readonly BASE_URL: string; readonly API_KEY: string }) =>
    Vaults.details().pipe(
      Effect.map((vault) => new Response(`the vault is ${vault.name}\n`)),
      Effect.catch((error) => Effect.succeed(new Response(`${error._tag}: ${error.message}\n`, { status: 500 }))),
      Effect.provide(
        Custody.layer({ environment: Environment.emulator(env.BASE_URL), apiKey: Redacted.make(env.API_KEY) }).pipe(
          Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer])
        )
      ),
      Effect.runPromise
    )
}
