/** This SDK, without and with adapters. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Contender, connections } from "../Contender.ts"
import { basePath, jobs } from "../jobs.ts"
import { adapters } from "./adapters.ts"
import { type Calls, ofEffects } from "./effects.ts"

const amount = Amount.of("12.5")

export const calls: Calls<CustodyClient> = {
  read: Effect.suspend(() => Vaults.details()),
  write: Effect.suspend(() =>
    Transactions.send({ clientId: "alice", assetId: "usdc", to: jobs.write.body!["to"]!, amount })
  ),
  refusal: Effect.suspend(() => Effect.flip(Wallets.get({ walletId: "missing" }))).pipe(
    Effect.filterOrFail((error) => error._tag === "NotFound")
  ),
  list: Effect.suspend(() => Transactions.list({ limit: 100 }))
}

export const layer = (origin: string, http: Layer.Layer<HttpClient.HttpClient>) =>
  Custody.layer({
    environment: Environment.emulator(`${origin}${basePath}`),
    apiKey: Redacted.make("one-time-key")
  }).pipe(Layer.provide([TokenStore.layerMemory, http]))

export const custody: Contender = (origin) =>
  ofEffects(calls, layer(origin, NodeCustody.layerHttpClient({ connections })))

/** Under adapters of the same wire: each payment is read back before it is sent. */
export const custodyAdapters: Contender = (origin) =>
  ofEffects(
    calls,
    layer(origin, NodeCustody.layerHttpClient({ connections })).pipe(Layer.provide(Layer.orDie(adapters)))
  )
