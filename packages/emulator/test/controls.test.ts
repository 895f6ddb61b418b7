import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Vaults } from "@effect-custody/sdk"
import { DateTime, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { details, generate, refresh, send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

describe("controls", () => {
  it.effect("report received requests with the generation of the token, and without secrets", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const apiKey = yield* emulator.issueApiKey()
      const { data: first } = (yield* generate(Redacted.value(apiKey))).json
      yield* TestClock.adjust("1 second")
      const { data: second } = (yield* refresh(first.refreshToken)).json
      yield* details(second.accessToken)
      yield* details("at_CANARY")
      yield* send(`/nothing?q=1&token=${second.accessToken}`)
      const received = yield* emulator.received
      const row = ({ at, code, operation, path, sequence, status, token }: (typeof received)[number]) =>
        [sequence, DateTime.toEpochMillis(at), path.slice(16), operation, status, code, token] as const
      const [generated, refreshed] = ["authentication.generateTokens", "authentication.refreshToken"]
      const rotated = { kind: "accessToken", session: 1, generation: 1 }
      assert.deepStrictEqual(received.map(row), [
        [1, 0, "/auth/generate-tokens", generated, 201, undefined, { kind: "apiKey" }],
        [
          2,
          1_000,
          "/auth/refresh-token",
          refreshed,
          201,
          undefined,
          { ...rotated, kind: "refreshToken", generation: 0 }
        ],
        [3, 1_000, "/vaults/details", "vaults.details", 200, undefined, rotated],
        [4, 1_000, "/vaults/details", "vaults.details", 401, "E40001", { kind: "accessToken" }],
        [5, 1_000, "/nothing", undefined, 404, undefined, undefined]
      ] as never)
      assert.include(received[2]!.headers, "x-access-token")
      assert.deepStrictEqual(
        received.map(({ body, query }) => [query, body]),
        [...Array.from({ length: 4 }, () => [undefined, undefined]), ["q=1&token=<redacted>", undefined]]
      )
      const everything = inspect([emulator, received, yield* emulator.counts, yield* emulator.sessions], { depth: 20 })
      const secrets = [Redacted.value(apiKey), first.accessToken, first.refreshToken, second.accessToken, "CANARY"]
      for (const secret of secrets) assert.notInclude(everything, secret)
    }).pipe(inProcess)
  )

  it.effect("report the query and the body of a request, of the newest ones", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { accessToken } = yield* session()
      const body = { externalId: "alice", name: `has ${accessToken}` }
      yield* send("/clients/create?x=1", { token: accessToken, body })
      const [, shown] = yield* emulator.received
      assert.deepStrictEqual([shown?.query, shown?.body], ["x=1", '{"externalId":"alice","name":"has <redacted>"}'])
      yield* Effect.forEach(Array.from({ length: 1_000 }), () => send("/nothing?q=1"))
      const [, old, next] = yield* emulator.received
      assert.deepStrictEqual([old?.query, old?.body, next?.query], [undefined, undefined, "q=1"])
    }).pipe(inProcess)
  )

  it.effect("delay every answer by the latency, and report that time, even if the client gave up", () =>
    Effect.gen(function* () {
      const { counts, received, setDurations } = yield* CustodyEmulator
      yield* setDurations({ latency: "200 millis" })
      const calling = yield* Effect.forkChild(details(), { startImmediately: true })
      const gone = yield* Effect.forkChild(details(), { startImmediately: true })
      yield* TestClock.adjust("199 millis")
      assert.isUndefined(calling.pollUnsafe())
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(calling)).status, 401)
      assert.strictEqual((yield* received)[0]?.took, 200)
      assert.deepStrictEqual((yield* counts).byOperation["vaults.details"], { 401: 2 })
    }).pipe(inProcess)
  )
})

describe("a ready client", () => {
  it.effect("has an emulator of its own, which carries out a call that the client gave up", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* Vaults.details()
      assert.strictEqual((yield* emulator.counts).requests, 2)
      yield* emulator.faults.next("vaults.details", Fault.delayed({ request: "1 hour" }))
      const call = yield* Effect.forkChild(Vaults.details())
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(call)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual((yield* emulator.counts).byOperation["vaults.details"], { 200: 1, 498: 1 })
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})
