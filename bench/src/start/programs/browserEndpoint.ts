/** A program that uses one endpoint: what a bundler has to keep for it. */
import { TokenService } from "@effect-custody/authentication/TokenService"
import * as TokenStore from "@effect-custody/authentication/TokenStore"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import { Transport } from "@effect-custody/core/siblings/Transport"
import * as Vaults from "@effect-custody/vaults/Vaults"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

const environment = Environment.production({ subdomain: "acme", host: "custody.example" })
const transport = Transport.layer({ environment }).pipe(Layer.provide(FetchHttpClient.layer))
const tokens = TokenService.layer({}).pipe(Layer.provide(TokenStore.TokenStore.layerMemory))
const client = CustodyClient.layer().pipe(Layer.provide(tokens), Layer.provide(transport))

Effect.runFork(Vaults.details().pipe(Effect.provide(client), Effect.tap(Effect.log)))
