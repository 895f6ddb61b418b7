import { assert, describe, it, layer } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Effect, Fiber, Layer, Option, Result } from "effect"
import { FetchHttpClient, type HttpClient, type HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { details, refresh, session } from "./support.ts"

const operation = "authentication.refreshToken"

/** The reason and the code of a failed exchange. */
const exchangeFailure = <A, R>(effect: Effect.Effect<A, HttpClientError.HttpClientError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => {
    const { cause } = reason as { readonly cause?: { readonly code?: string } }
    return [reason._tag, cause?.code]
  })

/** Tests that hold in process and over a socket. */
const suite = (name: string, live: Layer.Layer<CustodyEmulator | HttpClient.HttpClient>) =>
  layer(live, { excludeTestServices: true })(name, (it) => {
    it.effect("the answer is lost after the service rotated", () =>
      Effect.gen(function* () {
        const emulator = yield* CustodyEmulator
        const { refreshToken } = yield* session()
        const { rotations } = yield* emulator.counts
        yield* emulator.faults.next(operation, Fault.answerLost())
        assert.isTrue(Result.isFailure(yield* Effect.result(refresh(refreshToken))))
        assert.strictEqual((yield* emulator.counts).rotations, rotations + 1)
        const last = (yield* emulator.received).at(-1)
        assert.deepStrictEqual([last?.operation, last?.status, last?.fault], [operation, undefined, "answerLost"])
        assert.strictEqual((yield* refresh(refreshToken)).status, 401)
      })
    )

    it.effect("a request that never arrived was not received, and can be sent again", () =>
      Effect.gen(function* () {
        const emulator = yield* CustodyEmulator
        const { refreshToken } = yield* session()
        const { requests } = yield* emulator.counts
        yield* emulator.faults.next(operation, Fault.neverArrived())
        assert.isTrue(Result.isFailure(yield* Effect.result(refresh(refreshToken))))
        assert.strictEqual((yield* emulator.counts).requests, requests)
        assert.strictEqual((yield* refresh(refreshToken)).status, 201)
      })
    )

    it.effect("the answer breaks off in its body", () =>
      Effect.gen(function* () {
        const emulator = yield* CustodyEmulator
        const { refreshToken } = yield* session()
        yield* emulator.faults.next(operation, Fault.truncated(20))
        const [tag] = yield* exchangeFailure(refresh(refreshToken))
        assert.strictEqual(tag, "DecodeError")
        assert.strictEqual((yield* refresh(refreshToken)).status, 401)
      })
    )

    it.effect("an edit removes, changes and adds keys of an answer", () =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        const { refreshToken } = yield* session()
        yield* faults.next(operation, Fault.edited({ data: { expiresAt: "soon", refreshToken: null }, more: 1 }))
        const { json } = yield* refresh(refreshToken)
        assert.deepStrictEqual(Object.keys(json), ["message", "data", "status", "more"])
        assert.deepStrictEqual(Object.keys(json.data), ["accessToken", "expiresAt"])
        assert.strictEqual(json.data.expiresAt, "soon")
      })
    )

    it.effect("pending faults are described, and can be removed", () =>
      Effect.gen(function* () {
        const { failNext, faults } = yield* CustodyEmulator
        const next = (fault: Fault.Fault, times = 1) => faults.next("transactions.send", fault, { times })
        yield* next(Fault.serverError({ status: 503 }))
        yield* next(Fault.answerLost(), 3)
        yield* next(Fault.nth(3, Fault.late("2 seconds", Fault.serverError({ status: 504 }))))
        yield* faults.next("*", Fault.sometimes({ probability: 0.1 }, Fault.reset()), { times: Infinity })
        yield* next(Fault.delayed({ answer: "5 seconds" }))
        const pending = yield* faults.pending
        assert.deepStrictEqual(
          pending.map(({ fault, operation, times }) => `${operation}: ${fault.name}, ${times}`),
          [
            "transactions.send: answered 503, 1",
            "transactions.send: answerLost, 3",
            "transactions.send: answered 504, late, 1",
            "*: reset, Infinity",
            "transactions.send: delayed, 1"
          ]
        )
        yield* failNext({ times: 2 })
        yield* failNext({ times: 0 })
        yield* faults.clear
        assert.lengthOf(yield* faults.pending, 0)
      })
    )

    it.effect("a fault happens the requested number of times, on its operation only", () =>
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("vaults.details", Fault.serverError(), { times: 2 })
        const { refreshToken } = yield* session()
        const statuses = yield* Effect.all([details(), refresh(refreshToken), details(), details()])
        assert.deepStrictEqual(
          statuses.map(({ status }) => status),
          [500, 201, 500, 401]
        )
      })
    )
  })

suite("faults in process", CustodyEmulator.layerHttpClient)
suite("faults over a socket", Layer.merge(FetchHttpClient.layer, Layer.orDie(CustodyEmulator.layerServer())))

describe("faults under TestClock", () => {
  const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

  it.effect("delay the request and the answer, and the service acts in between", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { refreshToken } = yield* session()
      yield* emulator.faults.next(operation, Fault.delayed({ request: "2 seconds", answer: "3 seconds" }))
      const call = yield* Effect.forkChild(refresh(refreshToken))
      const at = Effect.fnUntraced(function* (seconds: number) {
        yield* TestClock.adjust(`${seconds} seconds`)
        const { rotations } = yield* emulator.counts
        return [rotations, Option.isSome(Option.fromNullishOr(call.pollUnsafe()))]
      })
      assert.deepStrictEqual(yield* at(1), [0, false])
      assert.deepStrictEqual(yield* at(1), [1, false])
      assert.deepStrictEqual(yield* at(2), [1, false])
      assert.deepStrictEqual(yield* at(1), [1, true])
      assert.strictEqual((yield* Fiber.join(call)).status, 201)
    }).pipe(inProcess)
  )

  it.effect("can leave a client without an answer, whether or not the service acted", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { refreshToken } = yield* session()
      for (const acts of [false, true]) {
        yield* emulator.faults.next(operation, Fault.silence({ acts }))
        const call = yield* Effect.forkChild(refresh(refreshToken))
        yield* TestClock.adjust("365 days")
        assert.isUndefined(call.pollUnsafe())
        assert.strictEqual((yield* emulator.counts).rotations, acts ? 1 : 0)
        yield* Fiber.interrupt(call)
      }
      assert.deepStrictEqual((yield* emulator.counts).byOperation[operation], { 0: 2 })
    }).pipe(inProcess)
  )
})
