/** Writes with echoes share a connection of HTTP/1.1 over TLS, and no answer counts for another payment. */
import { TokenStore } from "@effect-custody/authentication"
import { ServiceContract } from "@effect-custody/contract"
import { Amount, Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Socket } from "node:net"
import { isWhole, rawServer } from "../support/servers/rawServer.ts"
import { trusted } from "../support/servers/trusted.ts"

type Sent = Readonly<Record<string, string>>

/** A payment that arrived. */
interface Arrived {
  readonly sent: Sent
  readonly connection: number
  /** The number of the payment on its connection, from 1. */
  readonly nth: number
  /** Completes when the connection is closed. */
  readonly closed: Promise<void>
}

const answer = (status: number, body: object): string => {
  const text = JSON.stringify({ message: "", status, ...body })
  return `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

/** The answer that repeats a payment, with differences. */
const accepted = (sent: Sent, differences: Readonly<Record<string, unknown>> = {}): string =>
  answer(201, { data: { ...sent, id: `t-${sent["note"]}`, status: "PENDING", ...differences } })

const refused = (status: number, code: string): string => answer(status, { errors: {}, code })

const session = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4102444800000 }

/** A service that speaks HTTP/1.1 over TLS. It records each payment, and answers it by a function. */
const service = (pay: (socket: Socket, payment: Arrived) => void) =>
  Effect.gen(function* () {
    const payments: Array<Arrived> = []
    const others: Array<number> = []
    const read = new Map<number, number>()
    const closed = new Map<Socket, Promise<void>>()
    const { port } = yield* rawServer({
      tls: trusted,
      onConnection: (socket) => closed.set(socket, new Promise((resolve) => socket.on("close", () => resolve()))),
      onData: (socket, { connection, text }) => {
        const request = text.slice(read.get(connection) ?? 0)
        if (!isWhole(request)) return
        read.set(connection, text.length)
        if (request.startsWith("POST /api/integration/transactions/send ")) {
          const sent = JSON.parse(request.slice(request.indexOf("\r\n\r\n"))) as Sent
          const nth = payments.filter((each) => each.connection === connection).length + 1
          const payment = { sent, connection, nth, closed: closed.get(socket)! }
          payments.push(payment)
          return pay(socket, payment)
        }
        others.push(connection)
        if (request.startsWith("GET")) socket.write(answer(200, { data: { id: "v-1", name: "Main" } }))
        else socket.write(answer(201, { data: session }))
      }
    })
    return {
      baseUrl: `https://127.0.0.1:${port}/api/integration`,
      payments,
      /** The connections of the payments in their order, numbered from 1. */
      connections: () => {
        const distinct = [...new Set(payments.map(({ connection }) => connection))]
        return payments.map(({ connection }) => distinct.indexOf(connection) + 1)
      },
      /** The connections of all other requests. */
      others
    }
  })

const echoes = ["clientId", "to", "amount", "note"] as const

const client = (
  { baseUrl }: { readonly baseUrl: string },
  {
    connections,
    contract = { echoes }
  }: {
    readonly connections?: NodeCustody.Connections
    readonly contract?: { readonly echoes?: ReadonlyArray<(typeof echoes)[number]> }
  } = {}
) =>
  Layer.fresh(
    Custody.layer({
      environment: Environment.emulator(baseUrl),
      apiKey: Redacted.make("one-time-api-key"),
      retry: RetryPolicy.none
    }).pipe(
      Layer.provide([
        NodeCustody.layerHttpClient({ connections: 1, ...connections }),
        TokenStore.layerMemory,
        ServiceContract.layer({ operations: { "transactions.send": contract } }, CustodyApi)
      ])
    )
  )

const input = (note: string): Transactions.SendInput => ({
  clientId: "alice",
  assetId: "usdc",
  to: "0xabc",
  amount: Amount.of("12.50"),
  note
})

/** The id of a payment, or its error. */
const pay = (note: string) =>
  Transactions.send(input(note)).pipe(
    Effect.map(({ id }) => String(id)),
    Effect.catch((error) => Effect.succeed(error._tag === "OutcomeUnknown" ? `unknown: ${error.reason}` : error._tag))
  )

const notesOf = (payments: ReadonlyArray<Arrived>) => payments.map(({ sent }) => sent["note"])

describe("a kept connection", () => {
  it.effect("carries several payments, and nothing else", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent)))
      yield* Effect.gen(function* () {
        for (const note of ["a", "b", "c", "d"]) {
          assert.strictEqual(yield* pay(note), `t-${note}`)
          yield* Vaults.details()
          yield* TestClock.adjust(1_500)
        }
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(server.connections(), [1, 1, 1, 1])
      assert.isEmpty(server.others.filter((one) => server.payments.some(({ connection }) => connection === one)))
    })
  )

  it.effect("is not used after a pause of more than 1.5 seconds", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent)))
      yield* Effect.gen(function* () {
        for (const note of ["a", "b", "c"]) {
          assert.strictEqual(yield* pay(note), `t-${note}`)
          yield* TestClock.adjust(1_501)
        }
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(server.connections(), [1, 2, 3])
    })
  )

  it.effect("counts its pause from the end of an answer, however late that comes", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<() => void>()
      const server = yield* service((socket, { nth, sent }) => {
        const reply = () => socket.write(accepted(sent))
        if (nth === 2) Deferred.doneUnsafe(arrived, Effect.succeed(reply))
        else reply()
      })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* pay("a"), "t-a")
        const late = yield* Effect.forkChild(pay("b"))
        const reply = yield* Deferred.await(arrived)
        const next = yield* Effect.forkChild(pay("c"))
        yield* TestClock.adjust("10 seconds")
        reply()
        assert.deepStrictEqual(yield* Fiber.joinAll([late, next]), ["t-b", "t-c"])
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(server.connections(), [1, 1, 1])
    })
  )

  it.effect("carries one payment at a time", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => setImmediate(() => socket.write(accepted(sent))))
      const notes = Array.from({ length: 200 }, (_, index) => `n${index}`)
      const ids = yield* Effect.forEach(notes, (note) => pay(note), { concurrency: 50 }).pipe(
        Effect.provide(client(server, { connections: { connections: 4 } }))
      )
      assert.deepStrictEqual(
        ids,
        notes.map((note) => `t-${note}`)
      )
      assert.sameMembers(notesOf(server.payments), notes)
      assert.strictEqual(new Set(server.connections()).size, 4)
    })
  )

  it.effect.each([
    ["without echoes in the contract", {}, {}, "a"],
    ["with reuse: none", { connections: { reuse: "none" } }, { echoes }, "a"],
    ["that leaves an echo out", {}, { echoes }, undefined]
  ] as const)("is not used for a payment %s", ([, options, contract, note]) =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent)))
      const { note: _, ...bare } = input("")
      const send = Transactions.send(note === undefined ? bare : input(note))
      yield* Effect.replicateEffect(send, 3).pipe(Effect.provide(client(server, { ...options, contract })))
      assert.deepStrictEqual(server.connections(), [1, 2, 3])
    })
  )
})

describe("an answer", () => {
  it.effect.each(["12.5", "12.50", "12.500000", 12.5])("with the amount %s repeats 12.50", (amount) =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent, { amount })))
      yield* Effect.provide(
        Effect.gen(function* () {
          assert.strictEqual(yield* pay("a"), "t-a")
          assert.strictEqual(yield* pay("b"), "t-b")
        }),
        client(server)
      )
      assert.deepStrictEqual(server.connections(), [1, 1])
    })
  )

  it.effect.each([
    ["another amount", { amount: "12.51" }, "amount"],
    ["an amount that is none", { amount: "a lot" }, "amount"],
    ["no client", { clientId: undefined }, "clientId"],
    ["another client", { clientId: "bob" }, "clientId"],
    ["another address", { to: "0xABC" }, "to"],
    ["no note", { note: null }, "note"]
  ] as const)("with %s is an unknown outcome, and its connection carries nothing more", ([, differences, field]) =>
    Effect.gen(function* () {
      const server = yield* service((socket, { nth, sent }) =>
        socket.write(accepted(sent, nth === 2 ? differences : {}))
      )
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* pay("a"), "t-a")
        const error = yield* Effect.flip(Transactions.send(input("b")))
        assert.strictEqual(error._tag, "OutcomeUnknown")
        if (error._tag !== "OutcomeUnknown") return
        assert.include(error.issue, `data.${field} is not what was sent`)
        assert.strictEqual(error.status, 201)
        assert.strictEqual(yield* pay("c"), "t-c")
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(notesOf(server.payments), ["a", "b", "c"])
      assert.deepStrictEqual(server.connections(), [1, 1, 2])
    })
  )

  it.effect("without an echo is an unknown outcome on a new connection too", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent, { to: undefined })))
      assert.match(yield* Effect.provide(pay("a"), client(server)), /^unknown: HTTP 201/)
    })
  )

  it.effect.each([
    [401, "E40001"],
    [404, "E40400"],
    [422, "E00402"],
    [429, "E42900"],
    [498, "E40003"]
  ] as const)("with the status %s refuses on a new connection, and is in doubt on a kept one", ([status, code]) =>
    Effect.gen(function* () {
      const server = yield* service((socket, { nth, sent }) =>
        socket.write(nth === 2 ? refused(status, code) : accepted(sent))
      )
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* pay("a"), "t-a")
        assert.strictEqual(yield* pay("b"), `unknown: HTTP ${status} without an echo`)
        assert.strictEqual(yield* pay("c"), "t-c")
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(notesOf(server.payments), ["a", "b", "c"])
      assert.deepStrictEqual(server.connections(), [1, 1, 2])

      const refusing = yield* service((socket) => socket.write(refused(404, "E40400")))
      assert.strictEqual(yield* Effect.provide(pay("a"), client(refusing)), "NotFound")
    })
  )
})

describe("a stray answer", () => {
  it.effect("to an earlier payment is an unknown outcome, and its connection carries nothing more", () =>
    Effect.gen(function* () {
      let first: Sent | undefined
      // It leaves when the next payment has arrived: no client can see it before.
      const server = yield* service((socket, { nth, sent }) => {
        first ??= sent
        socket.write(nth === 2 ? accepted(first) + accepted(sent) : accepted(sent))
      })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* pay("a"), "t-a")
        assert.match(yield* pay("b"), /^unknown: HTTP 201/)
        assert.strictEqual(yield* pay("c"), "t-c")
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(notesOf(server.payments), ["a", "b", "c"])
      assert.deepStrictEqual(server.connections(), [1, 1, 2])
    })
  )

  it.effect.each([401, 422, 429, 498])(
    "with the status %s never makes a payment that arrived certainly refused",
    (status) =>
      Effect.gen(function* () {
        const server = yield* service((socket, { nth, sent }) =>
          socket.write(nth === 2 ? refused(status, "E00000") + accepted(sent) : accepted(sent))
        )
        const outcomes = yield* Effect.forEach(["a", "b"], (note) => pay(note)).pipe(Effect.provide(client(server)))
        assert.deepStrictEqual(outcomes, ["t-a", `unknown: HTTP ${status} without an echo`])
        assert.deepStrictEqual(notesOf(server.payments), ["a", "b"])
      })
  )

  it.effect("that comes with the real one ends the connection", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.write(accepted(sent) + accepted(sent)))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* pay("a"), "t-a")
        yield* Effect.promise(() => server.payments[0]!.closed)
        assert.strictEqual(yield* pay("b"), "t-b")
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(server.connections(), [1, 2])
    })
  )
})

describe("a service that closes", () => {
  it.effect("an idle connection loses no payment: the next has a new connection", () =>
    Effect.gen(function* () {
      const server = yield* service((socket, { sent }) => socket.end(accepted(sent)))
      yield* Effect.gen(function* () {
        for (const note of ["a", "b", "c"]) {
          assert.strictEqual(yield* pay(note), `t-${note}`)
          yield* Effect.promise(() => server.payments.at(-1)!.closed)
        }
      }).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual(notesOf(server.payments), ["a", "b", "c"])
      assert.deepStrictEqual(server.connections(), [1, 2, 3])
    })
  )

  /** Resets the TCP connection below TLS. */
  const reset = (socket: Socket) =>
    (socket as Socket & { readonly _parent?: Socket })._parent?.resetAndDestroy() ?? socket.destroy()
  const breaks: ReadonlyArray<readonly [string, (socket: Socket, sent: Sent) => void]> = [
    ["without an answer", (socket) => socket.end()],
    ["with a reset", reset],
    ["after half an answer", (socket, sent) => socket.end(accepted(sent).slice(0, -20))],
    ["with a 408", (socket) => socket.end(refused(408, "E40800"))],
    ["with a 502", (socket) => socket.end(refused(502, "E50200"))]
  ]
  it.effect.each(breaks)("when a payment has arrived, %s, leaves what a new connection leaves", ([, cut]) =>
    Effect.gen(function* () {
      const outcomeOf = (breaksAt: number) =>
        Effect.gen(function* () {
          const server = yield* service((socket, { nth, sent }) =>
            nth === breaksAt ? cut(socket, sent) : socket.write(accepted(sent))
          )
          const before = Array.from({ length: breaksAt - 1 }, (_, index) => `n${index}`)
          const outcome = yield* Effect.andThen(
            Effect.forEach(before, (note) => pay(note)),
            pay("cut")
          ).pipe(Effect.provide(client(server)))
          assert.deepStrictEqual(notesOf(server.payments), [...before, "cut"])
          assert.strictEqual(new Set(server.connections()).size, 1)
          return outcome
        })
      const onNew = yield* outcomeOf(1)
      assert.match(onNew, /^unknown: /)
      assert.strictEqual(yield* outcomeOf(3), onNew)
    })
  )

  it.live("connections at any time makes no payment twice, and none certain that is not", () =>
    Effect.gen(function* () {
      let random = 1
      const chance = () => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647
      const server = yield* service((socket, { sent }) => {
        socket.write(accepted(sent))
        if (chance() < 0.5) setTimeout(() => socket.end(), chance() * 4)
      })
      const notes = Array.from({ length: 400 }, (_, index) => `n${index}`)
      const outcomes = yield* Effect.forEach(notes, (note) => Effect.delay(pay(note), Math.floor(chance() * 4)), {
        concurrency: 8
      }).pipe(Effect.provide(client(server)))
      const arrived = notesOf(server.payments)
      assert.strictEqual(new Set(arrived).size, arrived.length)
      for (const [index, outcome] of outcomes.entries()) {
        const note = notes[index]!
        if (outcome === `t-${note}`) assert.include(arrived, note)
        else assert.match(outcome, /^unknown: /)
      }
      assert.isBelow(new Set(server.connections()).size, notes.length)
    })
  )
})
