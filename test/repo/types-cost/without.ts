/** A program of the SDK that calls no operation. */
import { NodeCustody } from "@effect-custody/node"
import { Custody } from "@effect-custody/sdk"
import { Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { TokenStore } from "@effect-custody/authentication"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"

const live = Custody.layer({
  environment: Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }),
  apiKey: Redacted.make("one-time key"),
  retry: RetryPolicy.none
}).pipe(Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]))

const program = Effect.gen(function* () {
  const tokens = yield* TokenService
  const status = yield* tokens.status
  yield* Effect.log(`the session is ${status.state}`)
})

program.pipe(
  Effect.provide(live),
  Effect.catchTag("ConfigurationInvalid", (error) => Effect.logError(error.message)),
  NodeRuntime.runMain
)
