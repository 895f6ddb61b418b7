import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OpenApi } from "effect/http-api"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer())))

const get = Effect.fnUntraced(function* (path: string) {
  const { baseUrl } = yield* CustodyEmulator
  return yield* HttpClient.get(new URL(path, baseUrl))
})

describe("the reference", () => {
  it.live("has the OpenAPI document", () =>
    Effect.gen(function* () {
      const document = yield* Effect.flatMap(get("/openapi.json"), (response) => response.json)
      assert.deepStrictEqual(document, JSON.parse(JSON.stringify(OpenApi.fromApi(CustodyApi))))
    }).pipe(served)
  )

  it.live("has every operation once, with its path and where that is from", () =>
    Effect.gen(function* () {
      const text = yield* Effect.flatMap(get("/docs"), (response) => response.text)
      const articles = text.split("<article ").slice(1)
      assert.strictEqual(articles.length, CustodyApi.operations.length)
      for (const { method, name, provenance } of CustodyApi.operations) {
        const [article, ...others] = articles.filter((article) => article.startsWith(`id="${name}"`))
        assert.lengthOf(others, 0, name)
        assert.include(article, `>${method}</code>`, name)
        assert.include(article, `provenance ${provenance}"`, name)
        assert.include(article, `<h4>Errors</h4>`, name)
      }
      assert.deepStrictEqual(
        [...text.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !text.includes(`id="${id}"`)),
        []
      )
    }).pipe(served)
  )
})
