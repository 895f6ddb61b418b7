/** The backend with an emulator, a client `alice` who has 100 USDC, and a caller who has the token. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, Redacted, References } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Ledger } from "../src/Ledger.ts"
import { Payouts } from "../src/Payouts.ts"
import * as Server from "../src/server.ts"
import { Stopping } from "../src/Stopping.ts"

export const token = "the callers' token"

/** Its transactions end at once. */
const Emulator = CustodyEmulator.layerWith({ durations: { pendingFor: 0, broadcastingFor: "50 millis" } })

/** A backend whose answers wait for `grace` after its end has begun. */
export const backend = (grace: Duration.Input = "1 second") =>
  Server.layer({ token: Redacted.make(token), allowedHosts: ["payouts.example"] }).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provideMerge(Payouts.layer),
    Layer.provideMerge([Emulator, Ledger.layerMemory, Stopping.layer(grace)]),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )

export const fundAlice = Effect.gen(function* () {
  yield* Clients.create({ id: "alice" })
  yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "100" })
})

export const order = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "12.50"
}

export const answer = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(HttpClientRequest.bearerToken(request, token))
  const body: any = yield* Effect.orElseSucceed(response.json, () => undefined)
  return { status: response.status, body }
})

export const pay = (payoutId: string, body: object = order) =>
  answer(HttpClientRequest.put(`/payouts/${payoutId}`).pipe(HttpClientRequest.bodyJsonUnsafe(body)))

export const find = (payoutId: string) => answer(HttpClientRequest.get(`/payouts/${payoutId}`))

export const decide = (payoutId: string, decision: object) =>
  answer(HttpClientRequest.post(`/payouts/${payoutId}/decision`).pipe(HttpClientRequest.bodyJsonUnsafe(decision)))

/** How often the service has sent money, by its own ledger. */
export const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

/** A backend of its own for each test. */
export const inWorld = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.andThen(fundAlice, test).pipe(Effect.provide(backend(), { local: true }))
