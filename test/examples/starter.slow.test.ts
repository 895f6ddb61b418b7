import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import * as Program from "../support/childProgram.ts"

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7", amount: "12.50" }

const token = "0123456789abcdef0123456789abcdef"

/** Where a backend keeps its session and its ledger, and how it reaches the emulator. */
const makeEnvironment = Effect.gen(function* () {
  yield* Program.onboard("alice")
  return {
    ...(yield* Program.environmentOf()),
    CUSTODY_SESSION_KEY: Buffer.alloc(32, 7).toString("base64"),
    DATABASE_URL: yield* Effect.flatMap(postgresServer, emptyDatabase),
    PAYOUTS_TOKENS: `ann=${token}`,
    PORT: "0"
  }
})

const authorized = { authorization: `Bearer ${token}` }

const start = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const program = yield* Program.start(["starter/src/main.ts"], env)
  const port = yield* program.saying(/Listening on http:\/\/\S+:(\d+)/)
  return { ...program, url: `http://127.0.0.1:${port}` }
})

/** A collector of telemetry: its address, and all that it got. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly got: () => string; readonly close: () => void }>((resume) => {
    let got = ""
    const server = createServer((request, response) => {
      got += request.url
      request.on("data", (chunk) => (got += chunk)).on("end", () => response.end("{}"))
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, got: () => got, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("the starter as a process", () => {
  it.live.skipIf(!hasPostgres)("the backend finishes its payout when it is stopped, and shows it after a restart", () =>
    Effect.gen(function* () {
      const env = yield* makeEnvironment
      const { faults } = yield* CustodyEmulator
      const telemetry = yield* collector
      const backend = yield* start({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.url })
      yield* faults.next("transactions.send", Fault.delayed({ answer: "1 second" }))
      const paying = yield* Effect.forkChild(Program.request(`${backend.url}/payouts/p-1`, "PUT", order, authorized))
      yield* Program.untilSent(1)
      yield* backend.kill("SIGTERM")
      const paid = yield* Fiber.join(paying)
      assert.strictEqual(paid.status, 201)
      yield* backend.ended
      for (const part of ["/v1/traces", "/v1/metrics", "custody.transactions.send", "custody_calls_total"]) {
        assert.include(telemetry.got(), part)
      }
      assert.notInclude(telemetry.got(), env.CUSTODY_API_KEY)

      const { CUSTODY_API_KEY: _, ...withoutKey } = env
      const again = yield* start(withoutKey)
      const found = yield* Program.request(`${again.url}/payouts/p-1`, "GET", undefined, authorized)
      assert.deepStrictEqual([found.status, found.body.transactionId], [200, paid.body.transactionId])
      assert.strictEqual((yield* Program.request(`${again.url}/health/ready`)).body.session, "serving")
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )

  it.live.skipIf(!hasPostgres)("the backend does not send a payout again after it was killed during the payout", () =>
    Effect.gen(function* () {
      const env = yield* makeEnvironment
      const { faults } = yield* CustodyEmulator
      const backend = yield* start(env)
      yield* faults.next("transactions.send", Fault.silence())
      yield* Effect.forkChild(Effect.exit(Program.request(`${backend.url}/payouts/p-1`, "PUT", order, authorized)))
      yield* Program.untilSent(1)
      yield* backend.kill("SIGKILL")
      yield* backend.ended

      const again = yield* start(env)
      const paid = Program.request(`${again.url}/payouts/p-1`, "PUT", order, authorized)
      // What the killed process was sending is looked for when its intent has expired.
      const ended = yield* Effect.repeat(paid, { until: ({ status }) => status !== 202 })
      assert.strictEqual(ended.status, 201)
      assert.strictEqual(yield* Program.sends, 1)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )

  it.live("the backend names every variable that is missing, and opens nothing", () =>
    Effect.gen(function* () {
      const { code, errors } = yield* Program.run(["starter/src/main.ts"], { CUSTODY_SESSION_KEY: "key" })
      assert.strictEqual(code, 1)
      assert.strictEqual(errors, "Not set: PAYOUTS_TOKENS, DATABASE_URL. See .env.example.\n")
    })
  )

  it.live.skipIf(!hasPostgres)("the backend says why it cannot listen", () =>
    Effect.gen(function* () {
      const env = yield* makeEnvironment
      const { url } = yield* collector
      const { port } = new URL(url)
      for (const [wrong, expected] of [
        [
          { PAYOUTS_TOKENS: `ann=${token},bob=${token}` },
          "PAYOUTS_TOKENS is not ann=TOKEN,bob=TOKEN: each caller once, with a token of 32 characters or more: openssl rand -hex 32"
        ],
        [{ PORT: "abc" }, "PORT is not a whole number from 0 to 65535."],
        [{ PORT: port }, `listen EADDRINUSE: address already in use 127.0.0.1:${port}`],
        [{ LISTEN_HOST: "203.0.113.9" }, "listen EADDRNOTAVAIL: address not available 203.0.113.9"]
      ] as const) {
        const { code, errors } = yield* Program.run(["starter/src/main.ts"], { ...env, ...wrong })
        assert.deepStrictEqual([code, errors], [1, `${expected}\n`])
      }
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
