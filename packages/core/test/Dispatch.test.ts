import * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import { NodeCustody } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"

const client = Effect.provide(HttpClient.HttpClient, NodeCustody.layerHttpClient())

describe("the dispatch function of a client", () => {
  it.effect("the client over undici has a dispatch function", () =>
    Effect.map(client, (http) => assert.isDefined(Dispatch.of(http)))
  )

  it.effect("a client with middleware has no dispatch function, so that no middleware is bypassed", () =>
    Effect.map(client, (http) => {
      const wrapped = [
        HttpClient.mapRequest(http, identity),
        HttpClient.mapRequestInput(http, identity),
        HttpClient.transform(http, identity),
        HttpClient.transformResponse(http, identity),
        HttpClient.tap(http, () => Effect.void),
        HttpClient.filterStatusOk(http),
        HttpClient.followRedirects(http),
        HttpClient.retry(http, { times: 1 })
      ]
      for (const one of wrapped) assert.isUndefined(Dispatch.of(one as HttpClient.HttpClient))
    })
  )
})
