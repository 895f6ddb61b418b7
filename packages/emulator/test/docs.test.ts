import { HttpApi } from "@effect-custody/sdk/HttpApi"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import * as Path from "node:path"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer())))

const get = Effect.fnUntraced(function* (path: string) {
  const { baseUrl } = yield* CustodyEmulator
  return yield* HttpClient.get(new URL(path, baseUrl))
})

const documentAt = (path: string) =>
  Effect.map(
    Effect.flatMap(get(path), ({ json }) => json),
    (document): any => document
  )

const guide = readFileSync(Path.resolve(import.meta.dirname, "../../../docs/emulator.md"), "utf8")

describe("the reference", () => {
  it.live("is the OpenAPI document of the API, at the emulator's address, with the emulator's own codes", () =>
    Effect.gen(function* () {
      const { info, servers, ...rest } = yield* documentAt("/openapi.json")
      const { info: ownInfo, servers: _, ...own } = JSON.parse(JSON.stringify(OpenApi.fromApi(HttpApi)))
      assert.deepStrictEqual(rest, own)
      assert.strictEqual(servers[0].url, (yield* CustodyEmulator).baseUrl)
      assert.isTrue(info.description.startsWith(ownInfo.description ?? ""))
      assert.include(info.description, "| E53003 | transactions: insufficient funds |")
    }).pipe(served)
  )

  it.live("lists in the guide only controls that exist", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* CustodyEmulator
      const listed = [...guide.matchAll(/^- `(GET|POST|DELETE) (\/emulator\/[\w-]+)`/gm)]
      assert.isAbove(listed.length, 10)
      for (const [, method, path] of listed) {
        const { status } = yield* HttpClient.execute(HttpClientRequest.make(method as "GET")(new URL(path!, baseUrl)))
        assert.notStrictEqual(status, 404, path)
      }
    }).pipe(served)
  )
})
