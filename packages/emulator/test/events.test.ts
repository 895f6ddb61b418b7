import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { CustodyEmulator, EmulatorEvent } from "@effect-custody/emulator"
import { Transactions } from "@effect-custody/sdk"
import { DateTime, Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { details } from "./support.ts"

const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("5"), note: "invoice-1" }

/** An event in one line. */
const line = (event: EmulatorEvent): string => {
  if (event._tag === "Request") return `${event.request.operation} ${event.request.status}`
  if (event._tag === "Write") return `${event.write.operation} ${event.write.marker}`
  const { amount, assetId, note, status, type } = event.transaction
  return `${DateTime.toEpochMillis(event.at)} ${type} ${amount} ${assetId} ${note ?? "-"} ${status}`
}

const take = (count: number) =>
  Effect.gen(function* () {
    const { events } = yield* CustodyEmulator
    return (yield* Stream.runCollect(Stream.take(events(), count))).map(line)
  })

describe("the events of an emulator", () => {
  it.effect("give each status of a transaction at its time, after the request and its write", () =>
    Effect.gen(function* () {
      const { events, fund } = yield* CustodyEmulator
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
      const reader = yield* Effect.forkChild(take(7), { startImmediately: true })
      yield* Transactions.send(order)
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(reader.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(reader), [
        "0 INCOMING 100 usdc - COMPLETED",
        "authentication.generateTokens 201",
        "0 OUTGOING 5 usdc invoice-1 PENDING",
        "transactions.send invoice-1",
        "transactions.send 201",
        "1000 OUTGOING 5 usdc invoice-1 BROADCASTING",
        "5000 OUTGOING 5 usdc invoice-1 COMPLETED"
      ])
      const [later] = yield* Stream.runCollect(Stream.take(events({ after: 6 }), 1))
      assert.deepInclude(later, { sequence: 7, _tag: "Transaction" })
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("let a test wait for a payment, whether it was made before or is made later", () =>
    Effect.gen(function* () {
      const { events, fund } = yield* CustodyEmulator
      const payment = (note: string) =>
        events().pipe(
          Stream.filter((event) => event._tag === "Write" && event.write.marker === note),
          Stream.runHead,
          Effect.map(Option.isSome)
        )
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
      const later = yield* Effect.forkChild(payment("invoice-2"), { startImmediately: true })
      yield* Transactions.send(order)
      assert.isTrue(yield* payment("invoice-1"))
      assert.isUndefined(later.pollUnsafe())
      yield* Transactions.send({ ...order, note: "invoice-2" })
      assert.isTrue(yield* Fiber.join(later))
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("continue after a snapshot with the statuses that are still to come", () =>
    Effect.gen(function* () {
      const first = yield* CustodyEmulator
      yield* first.fund({ clientId: "alice", assetId: "usdc", amount: "100" })
      yield* Transactions.send(order)
      yield* TestClock.adjust("2 seconds")
      const snapshot = yield* first.snapshot
      yield* Effect.gen(function* () {
        const reader = yield* Effect.forkChild(take(1), { startImmediately: true })
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(yield* Fiber.join(reader), ["5000 OUTGOING 5 usdc invoice-1 COMPLETED"])
      }).pipe(Effect.provide(CustodyEmulator.layerHttpClientWith({ snapshot })))
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.live("come over HTTP as Server-Sent Events, and continue where a client was cut off", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* CustodyEmulator
      const decode = Schema.decodeEffect(Schema.fromJsonString(EmulatorEvent))
      const read = Effect.fnUntraced(function* (query: string, headers: Record<string, string>) {
        const response = yield* HttpClient.get(new URL(`/emulator/events${query}`, baseUrl), { headers })
        assert.strictEqual(response.headers["content-type"], "text/event-stream")
        const lines = response.stream.pipe(
          Stream.decodeText,
          Stream.splitLines,
          Stream.filter((one) => one !== "")
        )
        const [id, data = ""] = yield* Stream.runCollect(Stream.take(lines, 2))
        return [id, yield* decode(data.replace(/^data: /, ""))] as const
      })
      yield* details()
      const reader = yield* Effect.forkChild(read("?after=1", {}))
      yield* details("at_CANARY")
      const [id, event] = yield* read("", {})
      assert.strictEqual(id, "id: 1")
      assert.strictEqual(event._tag === "Request" && event.request.code, "E40001")
      for (const [from, sequence] of [
        [1, 2],
        [900, 1]
      ] as const) {
        assert.strictEqual((yield* read("?after=0", { "last-event-id": String(from) }))[0], `id: ${sequence}`)
      }
      assert.strictEqual((yield* Fiber.join(reader))[0], "id: 2")
      const invalid = yield* HttpClient.get(new URL("/emulator/events?after=x", baseUrl))
      assert.strictEqual(invalid.status, 400)
    }).pipe(Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer()))))
  )
})
