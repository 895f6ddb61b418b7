/** What callers and probes get while payouts cannot be made, over HTTP, with real databases. */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { databaseUrl, isInstalled } from "./postgres.ts"
import { answer, inWorld, onceFor, pay, sends, untilState } from "./world.ts"

const ready = answer(HttpClientRequest.get("/health/ready"))

const untilReady = (status: number) =>
  Effect.repeat(Effect.delay(ready, "50 millis"), { until: (answered) => answered.status === status })

/** A caller who gives up before the backend's own patience of 20 seconds ends. */
const soon = <A, E, R>(asked: Effect.Effect<A, E, R>) => Effect.timeout(asked, "12 seconds")

/** A way to a server, which a test can cut, and silence: then both sides stay connected, and hear nothing. */
const wayTo = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; set: (to: "open" | "cut" | "silent") => void; close: () => void }>(
      (resume) => {
        let now: "open" | "cut" | "silent" = "open"
        const sockets = new Set<Socket>()
        const keep = (socket: Socket, other: Socket) => {
          sockets.add(socket)
          socket.on("data", (bytes) => now === "open" && other.write(bytes))
          socket.on("error", () => socket.destroy())
          socket.on("close", () => {
            sockets.delete(socket)
            other.destroy()
          })
        }
        const server = createServer((near) => {
          if (now === "cut") return void near.destroy()
          const far = createConnection({ host: "127.0.0.1", port })
          keep(near, far)
          keep(far, near)
        })
        const set = (to: typeof now) => {
          now = to
          if (to !== "silent") for (const socket of sockets) socket.destroy()
        }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const own = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({ port: own, set, close: () => server.close() }))
        })
      }
    ),
    (way) =>
      Effect.sync(() => {
        way.set("cut")
        way.close()
      })
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledger-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.live.skipIf(!isInstalled)("a payout is sent once with the ledger in PostgreSQL", () =>
  Effect.andThen(databaseUrl, (url) => onceFor(PgClient.layer({ url: Redacted.make(url), prepare: false }))).pipe(
    Effect.scoped
  )
)

describe("a backend without its ledger", () => {
  it.live.each(isInstalled ? (["cut", "silent"] as const) : [])(
    "a backend whose PostgreSQL is %s is not ready, refuses a payout, and makes it under the same name later",
    (how) =>
      Effect.gen(function* () {
        const url = new URL(yield* databaseUrl)
        const way = yield* wayTo(Number(url.port))
        url.port = `${way.port}`
        const database = PgClient.layer({ url: Redacted.make(url.href), prepare: false })
        yield* inWorld(
          Effect.gen(function* () {
            assert.strictEqual((yield* ready).status, 200)
            way.set(how)
            const refused = yield* soon(pay("p-1"))
            assert.strictEqual(refused.status, 503)
            assert.match(refused.body.detail, /database/)
            const unready = yield* soon(ready)
            assert.deepInclude(unready.body, { status: 503, title: "Payouts cannot be made now" })
            assert.match(unready.body.detail, /database/)
            assert.strictEqual(yield* sends, 0)
            way.set("open")
            yield* untilReady(200)
            assert.include([201, 202], (yield* pay("p-1")).status)
            yield* untilState("p-1", "paid")
            assert.strictEqual(yield* sends, 1)
            // The pool waits at its end for what it has asked.
          }).pipe(Effect.ensuring(Effect.sync(() => way.set("open")))),
          database
        )
      }).pipe(Effect.scoped)
  )

  it.live("a backend whose SQLite file fails or is locked is not ready, and refuses a payout", () =>
    Effect.gen(function* () {
      const database = LedgerSqlite.layer({ filename: join(yield* folder, "ledger.db") })
      yield* inWorld(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const other = yield* Effect.map(Layer.build(database), (built) => Context.get(built, SqlClient.SqlClient))
          const locked = yield* other.withTransaction(soon(pay("p-1")))
          assert.deepInclude(locked.body, { status: 503, detail: "The ledger's database does not answer." })
          yield* sql`ALTER TABLE payouts RENAME TO gone`
          assert.strictEqual((yield* pay("p-1")).status, 503)
          const unready = yield* ready
          assert.strictEqual(unready.status, 503)
          assert.include(unready.body.detail, "the database failed")
          yield* sql`ALTER TABLE gone RENAME TO payouts`
          yield* untilReady(200)
          assert.strictEqual((yield* pay("p-1")).status, 201)
          assert.strictEqual(yield* sends, 1)
        }),
        database
      )
    }).pipe(Effect.scoped)
  )

  it.live("an ordered payout is unknown, not unavailable, while the database does not answer", () =>
    Effect.gen(function* () {
      const database = LedgerSqlite.layer({ filename: join(yield* folder, "ledger.db") })
      yield* inWorld(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { faults } = yield* CustodyEmulator
          yield* faults.next("transactions.send", Fault.delayed({ answer: "1 second" }))
          const asked = yield* Effect.forkChild(pay("p-1"))
          yield* Effect.repeat(Effect.delay(sends, "10 millis"), { until: (times) => times > 0 })
          yield* sql`ALTER TABLE payouts RENAME TO gone`
          const { body, status } = yield* soon(Fiber.join(asked))
          assert.deepInclude({ status, ...body }, { status: 202, state: "unknown", askAt: "/payouts/p-1" })
          yield* sql`ALTER TABLE gone RENAME TO payouts`
          yield* untilState("p-1", "paid")
          assert.strictEqual(yield* sends, 1)
        }),
        database
      )
    }).pipe(Effect.scoped)
  )
})

describe("a backend whose worker has stopped", () => {
  it.live("a backend whose worker has stopped is not ready, says why, and does not let a caller wait for it", () =>
    Effect.gen(function* () {
      const database = LedgerSqlite.layer({ filename: join(yield* folder, "ledger.db") })
      // A newer version of the ledger has taken over.
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE payout_meta SET value = '99' WHERE name = 'writer'`
      }).pipe(Effect.provide(Layer.provideMerge(Payouts.layer(), database), { local: true }))
      yield* inWorld(
        Effect.gen(function* () {
          const { body } = yield* untilReady(503)
          assert.match(body.detail, /^No payouts are sent: .*it needs version 99 of the ledger's code/)
          const ordered = yield* soon(pay("p-1"))
          assert.deepInclude({ status: ordered.status, ...ordered.body }, { status: 202, state: "ready" })
          assert.strictEqual(yield* sends, 0)
        }),
        database
      )
    }).pipe(Effect.scoped)
  )
})
