import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Validator } from "@seriousme/openapi-schema-validator"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { layerOf, services } from "../../support/servers/dialects/contracts.ts"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer())))

const get = Effect.fnUntraced(function* (path: string) {
  const { baseUrl } = yield* CustodyEmulator
  return yield* HttpClient.get(new URL(path, baseUrl))
})

describe("the reference", () => {
  it.live("has the OpenAPI document", () =>
    Effect.gen(function* () {
      const document = yield* Effect.flatMap(get("/openapi.json"), (response) => response.json)
      const { "x-emulator-codes": codes, info, servers, ...rest } = document as any
      const { info: ownInfo, servers: _, ...own } = JSON.parse(JSON.stringify(OpenApi.fromApi(CustodyApi)))
      assert.deepStrictEqual(rest, own)
      const { baseUrl } = yield* CustodyEmulator
      assert.deepStrictEqual(
        servers.map(({ url }: { url: string }) => url),
        [baseUrl]
      )
      assert.isTrue(info.description.startsWith(ownInfo.description))
      assert.include(info.description, "codes of its own, E50001 and up")
      assert.strictEqual(codes.E53003, "transactions: insufficient funds")
    }).pipe(served)
  )

  it.live("is the document of the contract that the emulator speaks, and can be read as a page", () =>
    Effect.gen(function* () {
      const { paths, servers }: any = yield* Effect.flatMap(get("/openapi.json"), (response) => response.json)
      const { baseUrl } = yield* CustodyEmulator
      assert.strictEqual(servers[0].url, baseUrl)
      const sent = paths["/v2/clients/{clientId}/payouts"].post
      assert.strictEqual(sent.operationId, "transactions.send+transactions.transfer")
      const page = yield* Effect.flatMap(get("/docs"), (response) => response.text)
      assert.include(page, "/v2/clients/{clientId}/payouts")
    }).pipe(
      Effect.provide(
        Layer.merge(
          FetchHttpClient.layer,
          Layer.fresh(CustodyEmulator.layerServer()).pipe(Layer.provide(layerOf(services.at(-1)!)))
        )
      )
    )
  )

  it.live("lists the emulator's own codes, in the document, the reference and the guide", () =>
    Effect.gen(function* () {
      const document = yield* Effect.flatMap(get("/openapi.json"), (response) => response.json)
      const text = yield* Effect.flatMap(get("/docs"), (response) => response.text)
      const guide = readFileSync(Path.resolve(import.meta.dirname, "../../../docs/emulator.md"), "utf8")
      for (const [code, meaning] of Object.entries<string>((document as any)["x-emulator-codes"])) {
        assert.include(text, `>${code}</code> ${meaning}`)
        assert.include(guide, `| \`${code}\` | ${meaning} |`)
      }
    }).pipe(served)
  )

  it.live("has a document and a page of the controls, with every control", () =>
    Effect.gen(function* () {
      const document: any = yield* Effect.flatMap(get("/emulator/openapi.json"), (response) => response.json)
      const text = yield* Effect.flatMap(get("/emulator/docs"), (response) => response.text)
      const controls = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
      )
      assert.includeMembers(controls, [
        "POST /emulator/fund",
        "POST /emulator/faults",
        "GET /emulator/ledger",
        "POST /emulator/durations"
      ])
      const guide = readFileSync(Path.resolve(import.meta.dirname, "../../../docs/emulator.md"), "utf8")
      for (const control of controls) {
        const [method, path] = control.split(" ") as [string, string]
        assert.include(text, `>${method}</code> <code>${path}</code>`)
        assert.include(guide, `\`${control}\``)
      }
      const validator = new Validator()
      assert.isTrue((yield* Effect.promise(() => validator.validate(document))).valid)
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
