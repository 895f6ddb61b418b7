/**
 * Input that is crafted to exhaust time, memory or stack, as the author of a program or of its configuration could
 * write it.
 */
import { Amount, type CustodyClient, Environment, WireContract } from "@effect-custody/core"
import { Authentication, CustodyApi, Transactions, Wallets } from "@effect-custody/sdk"
import { WireLog } from "@effect-custody/testing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const nested = (depth: number): unknown => {
  let value: unknown = "end"
  for (let level = 0; level < depth; level++) value = { value }
  return value
}

const send = (fields: object) =>
  Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x1", amount: Amount.of("1"), ...fields } as never)

const logged = (body: string) =>
  Effect.gen(function* () {
    const response = yield* HttpClient.execute(
      HttpClientRequest.bodyText(HttpClientRequest.post("http://localhost/x"), body, "application/json")
    )
    yield* response.text
    return (yield* WireLog.use(({ transcript }) => transcript)).length
  }).pipe(
    Effect.provide(
      WireLog.layer.pipe(
        Layer.provide(
          Layer.succeed(
            HttpClient.HttpClient,
            HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body))))
          )
        )
      )
    )
  )

const environment = (url: string) => Effect.fromResult(Environment.validate(Environment.local(url)))

type Input = Effect.Effect<unknown, unknown, CustodyClient>

const contract = (path: string) =>
  Effect.mapError(
    Effect.fromResult(
      WireContract.fromJson(JSON.stringify({ operations: { "wallets.get": { confirmed: true, path } } }), CustodyApi)
    ),
    (issues) => ({ _tag: "ConfigurationInvalid", issues })
  )

export const inputs: Readonly<Record<string, () => Input>> = {
  "an address of 100,000 slashes": () => environment(`http://127.0.0.1${"/".repeat(100_000)}x`),
  "an address of a million slashes at its end": () => environment(`http://127.0.0.1/${"/".repeat(1_000_000)}`),
  "an address with blanks before it": () => environment("  http://127.0.0.1/api"),
  "a subdomain that is another host": () =>
    Effect.fromResult(
      Environment.validate(Environment.production({ subdomain: "elsewhere.example/", host: "custody.example" }))
    ),
  "an input that is 8,000 deep": () => send({ note: nested(8_000) }),
  "an input that is 1,000,000 deep": () => send({ note: nested(1_000_000) }),
  "an input of 5 MB": () => send({ note: "x".repeat(5_000_000) }),
  "an input of 50 MB": () => send({ note: "x".repeat(50_000_000) }),
  "an input of 50 MB in a million texts": () => send({ note: Array.from({ length: 1_000_000 }).fill("x".repeat(50)) }),
  "an input of 300,000 unknown fields": () =>
    send(Object.fromEntries(Array.from({ length: 300_000 }, (_, nth) => [`field ${nth}`, nth]))),
  "an API key of 50 MB": () => Authentication.generateTokens({ apiKey: Redacted.make("x".repeat(50_000_000)) }),
  "an id of 5 MB": () => Wallets.get({ walletId: "%2e".repeat(1_700_000) }),
  "an id that leads elsewhere": () => Wallets.get({ walletId: "../../auth/refresh-token" }),
  "a contract whose path leads elsewhere": () => contract("/wallets/%2e%2e/:walletId"),
  "a contract whose path is a million segments": () => contract("/wallets/:walletId".repeat(300_000)),
  "a contract that is 100,000 deep": () =>
    Effect.mapError(Effect.fromResult(WireContract.fromJson(`{"a":${"[".repeat(100_000)}`, CustodyApi)), (issues) => ({
      _tag: "ConfigurationInvalid",
      issues
    })),
  "a wire log of 9 MB of quotes": () => logged(`{"accessToken":"${'\\"'.repeat(4_500_000)}"}`),
  "a wire log of 9 MB of names": () => logged(`{${'"accessToken":"x",'.repeat(500_000)}"a":1}`),
  "a wire log of 9 MB of different tokens": () =>
    logged(`{${Array.from({ length: 300_000 }, (_, nth) => `"accessToken":"token-${nth}",`).join("")}"a":1}`)
}
