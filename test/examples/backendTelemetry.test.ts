import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients, TokenService } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { KeyValueStore } from "effect/persistence"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as FileLedger from "../../examples/backend/fileLedger.ts"
import * as Server from "../../examples/backend/server.ts"
import * as Telemetry from "../../examples/backend/telemetry.ts"
import { Payouts } from "../../templates/starter/src/Payouts.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number }
}

interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<Attribute>
}

/** What a collector was sent: the bodies as text, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly received: Map<string, Array<string>>; readonly close: () => void }>(
    (resume) => {
      const received = new Map<string, Array<string>>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => {
            const path = request.url ?? ""
            received.set(path, [...(received.get(path) ?? []), Buffer.concat(chunks).toString()])
            response.setHeader("content-type", "application/json").end("{}")
          })
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url, received, close: () => void server.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

const valueOf = ({ value }: Attribute) => value.stringValue ?? Number(value.intValue ?? value.doubleValue)
const attributesOf = (attributes: ReadonlyArray<Attribute> = []) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.key, valueOf(attribute)]))

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7", amount: "12.50" }

const Ledger = Layer.provide(FileLedger.layer, Layer.fresh(KeyValueStore.layerMemory))

describe("the backend's telemetry", () => {
  it.live(
    "a collector receives the spans, the metrics and the log lines of payouts, without a secret or an id in a name",
    () =>
      Effect.gen(function* () {
        const { received, url } = yield* collector
        const world = Server.layer.pipe(
          Layer.provide(Payouts.layer),
          Layer.provideMerge([CustodyEmulator.layer, Ledger, NodeHttpServer.layerTest]),
          Layer.provideMerge(Telemetry.layer),
          Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromUnknown({ OTEL_EXPORTER_OTLP_ENDPOINT: url })))
        )
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Layer.fresh(world), scope)
        const told = yield* Effect.gen(function* () {
          yield* Clients.create({ id: "alice" })
          const { expireTokens, fund, faults } = yield* CustodyEmulator
          yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
          const pay = (payout: string) =>
            Effect.flatMap(
              HttpClient.execute(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.put(`/payouts/${payout}`), order)),
              (response) => Effect.as(response.text, response.status)
            )
          const ends = [yield* pay("payout-one")]
          yield* expireTokens
          ends.push(yield* pay("payout-two"))
          yield* faults.next("transactions.send", Fault.answerLost())
          ends.push(yield* pay("payout-three"))
          const secrets = yield* (yield* TokenService).secrets
          const scraped = yield* Effect.flatMap(HttpClient.get("/metrics"), ({ text }) => text)
          return { ends, scraped, secrets: secrets.map(Redacted.value) }
        }).pipe(Effect.provideContext(context))
        // The exporters send what they have when they close.
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(told.ends, [201, 201, 202])

        const all = [...received.values()].flat().join("\n")
        assert.isAtLeast(told.secrets.length, 4)
        for (const secret of told.secrets) assert.notInclude(all, secret)

        const spans: ReadonlyArray<Span> = (received.get("/v1/traces") ?? [])
          .flatMap((body) => JSON.parse(body).resourceSpans)
          .flatMap((resource: any) => resource.scopeSpans)
          .flatMap((inScope: any) => inScope.spans)
        const named = (name: string) => spans.filter((span) => span.name === name)
        const calls = named("custody.transactions.send")
        assert.deepStrictEqual(
          calls.map(({ attributes }) => attributesOf(attributes)["custody.outcome"]),
          ["succeeded", "succeeded", "uncertain"]
        )
        const requests = named("POST /transactions/send").map((span) => ({ ...span, ...attributesOf(span.attributes) }))
        assert.deepInclude(attributesOf(named("POST /transactions/send")[0]!.attributes), {
          "http.request.method": "POST",
          "url.template": "/transactions/send",
          "server.address": "localhost",
          "http.response.status_code": 201
        })
        assert.strictEqual(requests[0]!.parentSpanId, calls[0]!.spanId)
        assert.strictEqual(named("custody.session.start").length, 1)
        assert.strictEqual(named("custody.session.rotate").length, 1)
        for (const { attributes, name } of spans.filter(
          (span) => span.name.includes("custody") || / \//.test(span.name)
        )) {
          const shown = `${name} ${JSON.stringify(attributes)}`
          for (const id of ["alice", order.to, "payout-"]) assert.notInclude(shown, id)
        }

        const last = JSON.parse(received.get("/v1/metrics")!.at(-1)!)
        const metrics: ReadonlyArray<any> = last.resourceMetrics
          .flatMap((resource: any) => resource.scopeMetrics)
          .flatMap((inScope: any) => inScope.metrics)
        const points = (name: string): ReadonlyArray<any> => {
          const metric = metrics.find((one) => one.name === name)
          return (metric?.sum ?? metric?.gauge ?? metric?.histogram)?.dataPoints ?? []
        }
        const sends = points("custody_calls_total").map((point) => [attributesOf(point.attributes), point.asDouble])
        assert.deepInclude(sends, [{ operation: "transactions.send", outcome: "uncertain", unit: "{call}" }, 1])
        assert.deepInclude(sends, [{ operation: "transactions.send", outcome: "succeeded", unit: "{call}" }, 2])
        assert.strictEqual(metrics.find(({ name }) => name === "custody_call_duration_seconds")?.unit, "s")
        assert.strictEqual(points("custody_uncertain_outcomes_total")[0]?.asDouble, 1)
        // Gauges of a session are gone with it, so that the last export has none.
        assert.include(told.scraped, "\ncustody_session_generation 1\n")
        for (const { name } of metrics) {
          for (const { attributes } of points(name)) {
            for (const id of ["alice", order.to, "payout-"]) assert.notInclude(JSON.stringify(attributes), id)
          }
        }
      })
  )
})
