/**
 * Writes of the whole SDK over HTTP/2, against a service that says GOAWAY to every connection again and again. Each write
 * must be carried out once, and none may end with an unknown outcome.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Http2 from "node:http2"
import * as Net from "node:net"
import type { AddressInfo } from "node:net"
import { trusted } from "../../support/servers/trusted.ts"

const writes = 500
/** The time between two GOAWAYs to the connections, in milliseconds. */
const every = 100
/** The latency of one way, in milliseconds. */
const oneWay = 20

const listen = (server: Net.Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

/** Passes every byte on after the latency. */
const slowly = (port: number): Net.Server =>
  Net.createServer({ allowHalfOpen: true }, (near) => {
    const far = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.setNoDelay(true)
      from.on("data", (chunk) => setTimeout(() => to.writable && to.write(chunk), oneWay))
      from.on("end", () => setTimeout(() => to.end(), oneWay))
      from.on("close", () => setTimeout(() => to.destroy(), 3 * oneWay))
      from.on("error", () => {})
    }
  })

const tokens = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4102444800000, vaultId: 42 }

/** The service. It counts how often it carried out each write. */
const makeService = Effect.gen(function* () {
  const done = new Map<string, number>()
  const sessions = new Set<Http2.ServerHttp2Session>()
  let goaways = 0
  let connections = 0
  const server = Http2.createSecureServer(trusted)
  server.on("session", (session) => {
    connections++
    sessions.add(session)
    session.on("error", () => {})
    session.on("close", () => sessions.delete(session))
  })
  server.on("stream", (stream, { ":path": path = "" }) => {
    const chunks: Array<Buffer> = []
    stream.on("error", () => {})
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.on("end", () => {
      const isStart = path.endsWith("/auth/generate-tokens")
      const { note } = JSON.parse(Buffer.concat(chunks).toString())
      if (!isStart) done.set(note, (done.get(note) ?? 0) + 1)
      if (stream.destroyed) return
      stream.respond({ ":status": 201, "content-type": "application/json" })
      stream.end(JSON.stringify({ message: "Done", data: isStart ? tokens : { id: note }, status: 201 }))
    })
  })
  // Half of the GOAWAYs are announced, as proxies do: the first names no stream, and the second the last one.
  const goodbye = () => {
    for (const session of sessions) {
      if (session.closed || session.destroyed) continue
      if (++goaways % 2 === 0) {
        session.close()
        continue
      }
      session.goaway(0, 2 ** 31 - 1)
      setTimeout(() => session.close(), every / 10)
    }
  }
  yield* Effect.forkScoped(Effect.repeat(Effect.sync(goodbye), Schedule.spaced(every)))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const session of sessions) session.destroy()
    })
  )
  return { port: yield* listen(server), done, connections: () => connections }
})

it.live("each write to a service that says GOAWAY every 100 ms is carried out once, and none ends unknown", () =>
  Effect.gen(function* () {
    const service = yield* makeService
    const port = yield* listen(slowly(service.port))
    // Those that certainly were not sent are sent again.
    let notSent = 0
    const failed: Array<string> = []
    const write = (note: string): Effect.Effect<void, never, CustodyClient> =>
      Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1"), note }).pipe(
        Effect.asVoid,
        Effect.catch(({ _tag }) => {
          if (_tag === "NotSent") {
            notSent++
            return write(note)
          }
          failed.push(_tag)
          return Effect.void
        })
      )
    const notes = Array.from({ length: writes }, (_, at) => `write-${at}`)
    yield* Effect.forEach(notes, write, { concurrency: 16, discard: true }).pipe(
      Effect.provide(
        Custody.layer({
          environment: Environment.emulator(`https://127.0.0.1:${port}/api/integration`),
          apiKey: Redacted.make("one-time-api-key"),
          retry: RetryPolicy.none
        }).pipe(Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]))
      )
    )
    assert.deepStrictEqual(failed, [])
    assert.deepStrictEqual(
      notes.filter((note) => service.done.get(note) !== 1),
      []
    )
    assert.isAbove(notSent, 0, "writes met a GOAWAY")
    assert.isAbove(service.connections(), 1)
  })
)
