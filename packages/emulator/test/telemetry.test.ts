import { Amount, Outcome, RetryPolicy, Telemetry } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { PrometheusMetrics } from "effect/observability"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { observe } from "../../../test/support/worlds/observed.ts"

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7" }
const send = Transactions.send({ ...order, amount: Amount.of("12.50") })

/** Runs a program with an emulator's client, and gives its spans. */
const spansOf = <A, E>(
  program: Effect.Effect<A, E, Layer.Success<typeof CustodyEmulator.layer>>,
  telemetry: Layer.Layer<never> = Layer.empty
) => {
  const [{ spans }, layer] = observe()
  const live = CustodyEmulator.layer.pipe(Layer.provideMerge([telemetry, layer]))
  return Effect.map(Effect.exit(Effect.provide(program, live, { local: true })), (exit) => ({ exit, spans }))
}

const attributesOf = (span: Tracer.Span | undefined) => Object.fromEntries(span?.attributes ?? [])

/** The failure of a span, as an exporter gets it. */
const failureOf = (span: Tracer.Span | undefined) =>
  span?.status._tag === "Ended" && Exit.isFailure(span.status.exit)
    ? Option.getOrUndefined(Exit.findErrorOption(span.status.exit))
    : undefined

describe("spans", () => {
  it.effect("a call has a span, and its request has one by OpenTelemetry's conventions", () =>
    Effect.gen(function* () {
      const { spans } = yield* spansOf(Wallets.get({ walletId: "no-such-wallet" }))
      const call = spans.find(({ name }) => name === "custody.wallets.get")
      assert.strictEqual(call?.kind, "internal")
      assert.deepStrictEqual(attributesOf(call), {
        "custody.operation": "wallets.get",
        "custody.category": "wallets",
        "custody.safety": "read",
        "custody.provenance": "assumed",
        "custody.outcome": "refused",
        "custody.attempts": 1,
        "custody.generation": 0,
        "custody.send_phase": "Answered",
        "custody.code": "E51001",
        "http.response.status_code": 404,
        "error.type": "NotFound"
      })
      const request = spans.find(
        ({ attributes }) => attributes.get("custody.operation") === "wallets.get" && attributes.has("url.template")
      )
      assert.deepStrictEqual([request?.name, request?.kind], ["GET /wallets/:walletId", "client"])
      assert.strictEqual(Option.getOrUndefined(request!.parent)?.spanId, call?.spanId)
      assert.deepStrictEqual(attributesOf(request), {
        "http.request.method": "GET",
        "url.template": "/wallets/:walletId",
        "server.address": "localhost",
        "server.port": 80,
        "url.scheme": "http",
        "custody.operation": "wallets.get",
        "custody.attempt.outcome": "rejected",
        "custody.send_phase": "Answered",
        "http.response.status_code": 404,
        "error.type": "404"
      })
    })
  )

  it.effect("no span holds text of an answer, an input or an error", () =>
    Effect.gen(function* () {
      const [observed, layer] = observe()
      yield* Effect.gen(function* () {
        yield* Clients.create({ externalId: "a-client-of-ours" })
        yield* Clients.get({ externalId: "a-client-of-ours" })
        yield* Effect.exit(Wallets.get({ walletId: "a-wallet-of-nobody" }))
        yield* Effect.exit(send)
      }).pipe(Effect.provide(CustodyEmulator.layer.pipe(Layer.provideMerge(layer)), { local: true }))
      for (const text of ["a-client-of-ours", "a-wallet-of-nobody", order.to, "alice"]) {
        assert.notInclude(observed.text(), text)
      }
      const failed = observed.spans.find(({ name }) => name === "custody.wallets.get")
      assert.instanceOf(failureOf(failed), Error)
      assert.deepInclude(failureOf(failed), { name: "NotFound", message: "NotFound" })
    })
  )

  it.effect("a span has the code of an answer only if it has the form of a code", () =>
    Effect.gen(function* () {
      const codes = ["E51001", "insufficient_funds", "40-01.b", "Customer Jane Roe", "x".repeat(33), "", "a\nb"]
      const { exit, spans } = yield* spansOf(
        Effect.forEach(codes, (code) =>
          Effect.andThen(
            Effect.flatMap(CustodyEmulator, ({ faults }) =>
              faults.next("vaults.details", Fault.answered({ status: 400, body: { status: 400, code, message: "no" } }))
            ),
            Effect.exit(Vaults.details())
          )
        )
      )
      assert.isTrue(Exit.isSuccess(exit))
      const calls = spans.filter(({ name }) => name === "custody.vaults.details").map(attributesOf)
      assert.deepStrictEqual(
        calls.map((attributes) => [attributes["custody.outcome"], attributes["custody.code"]]),
        codes.map((code, at) => ["refused", at < 3 ? code : undefined])
      )
    })
  )

  it.effect(
    "a call that is replayed after a 498 has a request span of each generation, and a rotation span between them",
    () =>
      Effect.gen(function* () {
        const { spans } = yield* spansOf(
          Effect.gen(function* () {
            yield* Vaults.details()
            yield* (yield* CustodyEmulator).expireTokens
            yield* Vaults.details()
          })
        )
        const [, call] = spans.filter(({ name }) => name === "custody.vaults.details")
        assert.deepInclude(attributesOf(call), {
          "custody.outcome": "succeeded",
          "custody.attempts": 2,
          "custody.generation": 1,
          "http.response.status_code": 200
        })
        const requests = spans.filter(
          ({ name, parent }) => name === "GET /vaults/details" && Option.getOrUndefined(parent) === call
        )
        assert.deepStrictEqual(
          requests.map(({ attributes }) => [
            attributes.get("http.response.status_code"),
            attributes.get("http.request.resend_count"),
            attributes.get("custody.attempt.outcome")
          ]),
          [
            [498, undefined, "expired"],
            [200, 1, "succeeded"]
          ]
        )
      })
  )

  it.effect("the span of a payment with a lost answer, or interrupted under way, ends as uncertain", () =>
    Effect.gen(function* () {
      const { spans } = yield* spansOf(
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* faults.next("transactions.send", Fault.answerLost())
          yield* Effect.flip(send)
          yield* faults.next("transactions.send", Fault.silence())
          const another = Transactions.send({ ...order, amount: Amount.of("13") })
          const paying = yield* Effect.forkChild(another, { startImmediately: true })
          yield* TestClock.adjust("1 second")
          yield* Fiber.interrupt(paying)
        })
      )
      const calls = spans.filter(({ name }) => name === "custody.transactions.send").map(attributesOf)
      const ends = calls.map((one) => [one["custody.outcome"], one["custody.send_phase"], one["error.type"]])
      assert.deepStrictEqual(ends, [
        ["uncertain", "MaybeProcessed", "OutcomeUnknown"],
        ["uncertain", "MaybeProcessed", "Interrupted"]
      ])
      const requests = spans.filter(({ name }) => name === "POST /transactions/send").map(attributesOf)
      assert.deepStrictEqual(
        requests.map((one) => [one["custody.attempt.outcome"], one["custody.send_phase"], one["error.type"]]),
        [
          ["in_doubt", "MaybeProcessed", "ECONNRESET"],
          ["interrupted", "MaybeProcessed", "interrupted"]
        ]
      )
    })
  )

  it.effect("a request that takes too long has the error type `timeout` over any transport", () =>
    Effect.gen(function* () {
      const { spans } = yield* spansOf(
        Effect.gen(function* () {
          const { faults } = yield* CustodyEmulator
          yield* faults.next("vaults.details", Fault.silence())
          const reading = yield* Effect.forkChild(Effect.exit(RetryPolicy.provide(Vaults.details(), RetryPolicy.none)))
          while (reading.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
        })
      )
      const request = spans.find(({ name }) => name === "GET /vaults/details")
      assert.strictEqual(attributesOf(request)["error.type"], "timeout")
    })
  )

  it.effect("an unsampled trace makes no spans", () =>
    Effect.gen(function* () {
      const { spans } = yield* spansOf(Effect.withSpan(Vaults.details(), "around", { sampled: false }))
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["around"]
      )
    })
  )
})

/** Runs a program whose client reports to a registry of its own, and gives the metrics as Prometheus reads them. */
const metricsOf = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof CustodyEmulator.layer>>) =>
  Effect.andThen(program, PrometheusMetrics.format()).pipe(
    Effect.provide(
      CustodyEmulator.layer.pipe(
        Layer.provideMerge(Telemetry.layer()),
        Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
      ),
      { local: true }
    ),
    Effect.map((text) => text.split("\n").filter((line) => line.startsWith("custody_")))
  )

describe("metrics", () => {
  it.effect("the metrics count calls, attempts and uncertain outcomes", () =>
    Effect.gen(function* () {
      const lines = yield* metricsOf(
        Effect.gen(function* () {
          const { expireTokens, faults } = yield* CustodyEmulator
          yield* Vaults.details()
          yield* expireTokens
          yield* Vaults.details()
          yield* Effect.flip(Wallets.get({ walletId: "nowhere" }))
          yield* faults.next("transactions.send", Fault.answerLost())
          yield* Outcome.of(send)
        })
      )
      for (const line of [
        `custody_calls_total{operation="vaults.details",outcome="succeeded"} 2`,
        `custody_calls_total{operation="wallets.get",outcome="refused"} 1`,
        `custody_calls_total{operation="transactions.send",outcome="uncertain"} 1`,
        `custody_attempts_total{operation="vaults.details",outcome="expired"} 1`,
        `custody_attempts_total{operation="vaults.details",outcome="succeeded"} 2`,
        `custody_attempts_total{operation="transactions.send",outcome="in_doubt"} 1`,
        `custody_uncertain_outcomes_total 1`,
        `custody_call_duration_seconds_count{operation="vaults.details"} 2`,
        `custody_retry_budget_left 10`
      ]) {
        assert.include(lines, line)
      }
    })
  )

  it.effect("the metrics are empty without the layer, and start at zero with it", () =>
    Effect.gen(function* () {
      const registry = new Map()
      yield* Vaults.details().pipe(
        Effect.provide(CustodyEmulator.layer.pipe(Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, registry))), {
          local: true
        })
      )
      assert.strictEqual(registry.size, 0)
      assert.include(yield* metricsOf(Effect.void), "custody_uncertain_outcomes_total 0")
    })
  )

  it.effect("a layer with attributes of its own, such as a tenant, has its own gauges", () =>
    Effect.gen(function* () {
      const sessions = Effect.map(Metric.snapshot, (all) =>
        all.flatMap(({ attributes, id, ...one }) =>
          id === "custody_sessions" && attributes?.["state"] === "serving" && one.type === "Gauge"
            ? [[attributes["tenant"], one.state.value]]
            : []
        )
      )
      const ofTenant = (tenant: string) =>
        Layer.fresh(CustodyEmulator.layer).pipe(
          Layer.provide(Layer.fresh(Telemetry.layer())),
          Layer.provide(Layer.succeed(Metric.CurrentMetricAttributes, { tenant }))
        )
      yield* Effect.gen(function* () {
        yield* Vaults.details()
        const both = Effect.andThen(Vaults.details(), sessions)
        assert.deepStrictEqual(yield* Effect.provide(both, ofTenant("globex"), { local: true }), [
          ["acme", 1],
          ["globex", 1]
        ])
      }).pipe(Effect.provide(ofTenant("acme"), { local: true }))
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("two layers in one process count together, and each keeps its sessions when the other closes", () =>
    Effect.gen(function* () {
      const gauges = Effect.map(Metric.snapshot, (all) =>
        ["custody_sessions", "custody_session_generation", "custody_retry_budget_left"].map((id) => {
          const found = all.find((one) => one.id === id && (one.attributes?.["state"] ?? "serving") === "serving")
          return found?.type === "Gauge" ? found.state.value : undefined
        })
      )
      const telemetry = () => Layer.fresh(CustodyEmulator.layer).pipe(Layer.provide(Layer.fresh(Telemetry.layer())))
      const [, generation, budget] = yield* Effect.gen(function* () {
        yield* Vaults.details()
        const alone = yield* gauges
        yield* Effect.gen(function* () {
          yield* Vaults.details()
          assert.deepStrictEqual(yield* gauges, [2, ...alone.slice(1)])
        }).pipe(Effect.provide(telemetry(), { local: true }))
        assert.deepStrictEqual(yield* gauges, alone)
        return alone
      }).pipe(Effect.provide(telemetry(), { local: true }))
      assert.strictEqual(generation, 0)
      assert.isDefined(budget)
      assert.deepStrictEqual(yield* gauges, [undefined, undefined, undefined])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
