import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpClient, HttpClientRequest, HttpServer } from "effect/http"
import { Agent, type IncomingMessage, request } from "node:http"
import { Stopping } from "../src/Stopping.ts"
import { backend, fundAlice, inWorld, order, pay, sends, token, withPayouts } from "./world.ts"

const status = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(HttpClient.execute(request), ({ status }) => status)

const put = (headers: Record<string, string>) =>
  status(
    HttpClientRequest.put("/payouts/p-1").pipe(
      HttpClientRequest.setHeaders(headers),
      HttpClientRequest.bodyJsonUnsafe(order)
    )
  )

const port = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "UnixPathAddress" ? assert.fail("no port") : address.port
)

interface Answered {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly text: string
}

/** A request as a program without Effect makes it; its connection stays open for the next one. */
const plain = (port: number, agent: Agent, method: string, path: string, options: { host?: string; body?: string }) =>
  Effect.promise(
    () =>
      new Promise<Answered>((resolve, reject) => {
        const headers: Record<string, string> = { authorization: `Bearer ${token}`, "content-type": "application/json" }
        if (options.host !== undefined) headers.host = options.host
        const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer: IncomingMessage) => {
          let text = ""
          answer.on("data", (chunk: Buffer) => (text += chunk.toString()))
          answer.on("end", () => resolve({ status: answer.statusCode, connection: answer.headers.connection, text }))
        })
        sent.on("error", reject)
        sent.end(options.body)
      })
  )

const untilSent = Effect.repeat(Effect.delay(sends, "10 millis"), { until: (times) => times > 0 })

const agent = (options?: object) =>
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, ...options })),
    (agent) => Effect.sync(() => agent.destroy())
  )

describe("the server", () => {
  it.live("only a caller with the token orders or sees a payout", () =>
    withPayouts(
      Effect.gen(function* () {
        assert.strictEqual(yield* put({}), 401)
        assert.strictEqual(yield* put({ authorization: "Bearer another" }), 401)
        assert.strictEqual(yield* status(HttpClientRequest.get("/payouts/p-1")), 401)
        assert.lengthOf(yield* Payouts.list(), 0)
        assert.strictEqual(yield* put({ authorization: `Bearer ${token}` }), 201)
      })
    )
  )

  it.live("a name that is not the server's is refused, except for probes", () =>
    withPayouts(
      Effect.gen(function* () {
        const connections = yield* agent()
        const to = yield* port
        const get = (host: string, path: string) =>
          Effect.map(plain(to, connections, "GET", path, { host }), ({ status }) => status)
        assert.strictEqual(yield* get("evil.example", "/payouts/p-1"), 421)
        assert.strictEqual(yield* get("evil.example:80", "/metrics"), 421)
        assert.strictEqual(yield* get("payouts.example:80", "/payouts/p-1"), 404)
        assert.strictEqual(yield* get("10.1.2.3:3000", "/health/live"), 204)
      })
    )
  )

  it.live("a body of more than 64 kB is refused", () =>
    withPayouts(
      Effect.gen(function* () {
        assert.strictEqual((yield* pay("p-1", { ...order, note: "x".repeat(65_000) })).status, 413)
        assert.lengthOf(yield* Payouts.list(), 0)
        assert.strictEqual((yield* pay("p-1", { ...order, note: "x".repeat(60_000) })).status, 201)
      })
    )
  )

  it.live("readiness follows the session, and metrics show the calls", () =>
    inWorld(
      Effect.gen(function* () {
        const { expireTokens, faults } = yield* CustodyEmulator
        const ready = status(HttpClientRequest.get("/health/ready"))
        assert.strictEqual(yield* status(HttpClientRequest.get("/health/live")), 204)
        assert.strictEqual((yield* pay("p-1")).status, 201)
        assert.strictEqual(yield* ready, 200)
        yield* expireTokens
        const refusal = { status: 401, code: "E01402", message: "Invalid refresh token", errors: {} }
        yield* faults.next("authentication.refreshToken", Fault.answered({ status: 401, body: refusal }))
        yield* Effect.forkScoped(pay("p-2"))
        while ((yield* ready) !== 503) yield* Effect.sleep("20 millis")
        const metrics = yield* Effect.flatMap(HttpClient.get("/metrics"), ({ text }) => text)
        assert.match(metrics, /custody_calls_total\{/)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a stopping server closes busy connections, and answers 202 for what it cannot wait for", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(backend("300 millis"), scope)
      yield* Effect.provideContext(fundAlice, context)
      const to = yield* Effect.provideContext(port, context)
      const connections = yield* agent()
      yield* Context.get(context, CustodyEmulator).faults.next("transactions.send", Fault.silence())
      const body = JSON.stringify(order)
      const late = yield* Effect.forkChild(plain(to, connections, "PUT", "/payouts/p-1", { body }))
      yield* Effect.provideContext(untilSent, context)
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      const answer = yield* Fiber.join(late)
      assert.deepInclude(answer, { status: 202, connection: "close" })
      const { askAt, state } = JSON.parse(answer.text)
      assert.include(["sending", "unknown"], state)
      assert.strictEqual(askAt, "/payouts/p-1")
      yield* Fiber.join(closed)
      assert.strictEqual(yield* Effect.provideContext(sends, context), 1)
    }).pipe(Effect.scoped)
  )

  it.live("an order on an open connection is refused while the server stops, and was not sent", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(backend("5 seconds"), scope)
      yield* Effect.provideContext(fundAlice, context)
      const emulator = Context.get(context, CustodyEmulator)
      const to = yield* Effect.provideContext(port, context)
      const connections = yield* agent({ maxSockets: 1 })
      yield* emulator.faults.next("transactions.send", Fault.delayed({ answer: "300 millis" }))
      const body = JSON.stringify(order)
      const first = yield* Effect.forkChild(plain(to, connections, "PUT", "/payouts/p-1", { body }))
      yield* Effect.provideContext(untilSent, context)
      // The end has begun, but a request is still under way: the server cannot close its connection.
      yield* Effect.provideContext(
        Effect.flatMap(Stopping, ({ begin }) => begin),
        context
      )
      const other = yield* agent()
      const refused = yield* plain(to, other, "PUT", "/payouts/p-2", { body })
      assert.deepInclude(refused, { status: 503, connection: "close" })
      assert.match(refused.text, /has sent nothing/)
      const ready = yield* plain(to, other, "GET", "/health/ready", {})
      assert.strictEqual(ready.status, 503)
      assert.strictEqual((yield* Fiber.join(first)).status, 201)
      const writes = yield* emulator.ledger
      assert.strictEqual(writes.filter(({ operation }) => operation === "transactions.send").length, 1)
      yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.scoped)
  )
})
