/** The same program without us: Effect's own client and schemas, no session, no retries, no errors by code. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"

const Envelope = Schema.Struct({ data: Schema.Struct({ id: Schema.String, name: Schema.String }) })

const details = HttpClientRequest.get("https://acme.custody.example/api/integration/vaults/details").pipe(
  HttpClientRequest.setHeader("x-access-token", "token"),
  HttpClient.execute,
  Effect.flatMap(HttpClientResponse.schemaBodyJson(Envelope))
)

Effect.runFork(details.pipe(Effect.provide(FetchHttpClient.layer), Effect.tap(Effect.log)))
