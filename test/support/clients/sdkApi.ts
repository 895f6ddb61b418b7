/** The client of the SDK with its session, and a recorder of its requests. */
import { TokenStore } from "@effect-custody/authentication"
import { type ConfigurationInvalid, type CustodyClient, type Environment, RetryPolicy } from "@effect-custody/core"
import { Custody } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { done, local } from "./reportsApi.ts"
import { answer, type Sent, stubHttp } from "./stubHttp.ts"

/** Runs a program against a service with one answer. Returns its exit, and its requests without the exchange of the key. */
export const sentBy = <A, E>(
  program: Effect.Effect<A, E, CustodyClient>,
  options: {
    readonly environment?: Environment.Environment
    readonly respond?: (sent: Sent, index: number) => Response
    /** The contract of the client. */
    readonly contract?: Layer.Layer<never, ConfigurationInvalid>
  } = {}
) => {
  const { contract = Layer.empty, environment = local, respond = () => done({ id: "r-1" }) } = options
  let calls = 0
  const http = stubHttp((sent) =>
    Effect.sync(() =>
      sent.url.endsWith("/auth/generate-tokens")
        ? answer(201, { message: "", data: { accessToken: "access-0", refreshToken: "refresh-0" }, status: 201 })
        : respond(sent, calls++)
    )
  )
  const client = Custody.layer({ environment, apiKey: Redacted.make("one-time-api-key"), retry: RetryPolicy.none })
  return Effect.map(
    Effect.exit(
      Effect.provide(program, Layer.fresh(Layer.provide(client, [http.layer, TokenStore.layerMemory, contract])))
    ),
    (exit) => ({ exit, all: http.sent, sent: http.sent.filter(({ url }) => !url.includes("/auth/")) })
  )
}
