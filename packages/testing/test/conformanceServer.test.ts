import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Conformance from "@effect-custody/testing/Conformance"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Proxy from "../../../test/support/servers/conformanceProxy.ts"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, CustodyEmulator.layerServer()))

const runAt = Effect.fnUntraced(function* (baseUrl: string) {
  return yield* Conformance.run({ baseUrl, apiKey: yield* (yield* CustodyEmulator).issueApiKey() })
})

/** A run against the emulator behind a proxy. */
const runThroughProxy = Effect.fnUntraced(function* (deviation: Proxy.PlantedDeviation) {
  const { baseUrl } = yield* CustodyEmulator
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => Proxy.start(baseUrl, deviation)),
    ({ close }) => Effect.sync(close)
  )
  return yield* runAt(proxy.baseUrl)
})

const deviating = (report: Conformance.Report) =>
  Object.fromEntries(Conformance.deviations(report).map(({ id, seen }) => [id, seen]))

const answer = ({ answers }: Conformance.Report, id: string) => answers.find((one) => one.id === id)?.answer

describe("conformance over sockets", () => {
  it.live("a run finds only the Bearer prefix in a server that requires it", () =>
    Effect.gen(function* () {
      const report = yield* runThroughProxy(Proxy.bearerRequired())
      assert.deepStrictEqual(deviating(report), {
        "header.raw-token": `HTTP 401 E40001 to the raw token, HTTP 200 with "Bearer " before it`
      })
      assert.strictEqual(answer(report, "bearer"), `yes: with "Bearer " before it`)
    }).pipe(served)
  )

  it.live("a run sends an API key once although the runtime would repeat it after a 421", () =>
    Effect.gen(function* () {
      const report = yield* runThroughProxy({ response: ({ body }) => ({ status: 421, body }) })
      assert.strictEqual(report.cutShort, "the API key started no session: HTTP 421")
    }).pipe(served)
  )

  it.live("a run follows no redirect with its token", () =>
    Effect.gen(function* () {
      const report = yield* runThroughProxy({ response: ({ body }) => ({ status: 307, body }) })
      assert.strictEqual(report.cutShort, "the API key started no session: HTTP 307")
    }).pipe(served)
  )
})
