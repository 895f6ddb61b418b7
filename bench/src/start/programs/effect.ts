/** Effect's own client over undici: no session, no retries, no errors by code. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import { answered, origin } from "./answered.ts"

const Envelope = Schema.Struct({ data: Schema.Struct({ id: Schema.String, name: Schema.String }) })

const details = HttpClientRequest.get(`${origin}/api/integration/vaults/details`).pipe(
  HttpClientRequest.setHeader("x-access-token", "token"),
  HttpClient.execute,
  Effect.flatMap(HttpClientResponse.schemaBodyJson(Envelope))
)

answered(await Effect.runPromise(Effect.provide(details, NodeHttpClient.layerUndici)))
