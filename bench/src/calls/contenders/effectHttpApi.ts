/** The same endpoints by Effect's own `HttpApiClient`: no session, no retries, no send phase. */
import { Amount } from "@effect-custody/core"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import type { Contender } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"
import { ofEffects } from "./effects.ts"

type Call = (input?: object) => Effect.Effect<unknown, unknown>

/** `HttpApi` is made at run time, so that its client has no types of its own. */
class Client extends Context.Service<Client, Readonly<Record<string, Readonly<Record<string, Call>>>>>()(
  "bench/Client"
) {}

const make = (origin: string) =>
  HttpApiClient.make(HttpApi, {
    baseUrl: `${origin}${basePath}`,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-access-token", accessToken))
  }) as Effect.Effect<unknown, never, HttpClient.HttpClient> as Effect.Effect<
    Client["Service"],
    never,
    HttpClient.HttpClient
  >

const payload = { clientId: "alice", assetId: "usdc", to: jobs.write.body!["to"]!, amount: Amount.of("12.5") }

const call = (category: string, name: string, input?: object) => Client.use((client) => client[category]![name]!(input))

export const effectHttpApi: Contender = (origin) =>
  ofEffects(
    {
      read: call("vaults", "details"),
      write: call("transactions", "send", { payload }),
      refusal: Effect.flip(call("wallets", "get", { params: { walletId: "missing" } })),
      list: call("transactions", "list", { query: { limit: 100 } })
    },
    Layer.effect(Client, make(origin)).pipe(Layer.provide(NodeHttpClient.layerUndici))
  )
