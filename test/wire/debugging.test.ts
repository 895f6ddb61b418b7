import { Amount, RetryPolicy, withHeaders } from "@effect-custody/core"
import { Recorder, type WireRecord } from "@effect-custody/core/siblings/Transport"
import { MayStart } from "@effect-custody/core/siblings/Sender"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Authentication, Clients, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Headers from "effect/http/Headers"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import {
  against,
  apiKey,
  details,
  originFor,
  refreshed,
  refusal,
  serverWithSession,
  transports
} from "../support/clients/wireClient.ts"
import { json, reset, silence } from "../support/servers/wireServer.ts"

const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50"), note: "Überweisung 7" }

/** Blanks, an unknown field, a number beyond a double: the text of an answer that no parser leaves as it is. */
const sent = `{ "message": "Sent",\n  "data": {"id": "t-1", "status": "PENDING", "their own": 12.5000000000000000001}, "status": 201 }`

/** The records of an effect's calls, in order, until now. */
const recorded = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const records: Array<WireRecord> = []
    return Effect.map(
      Effect.exit(Effect.provideService(self, Recorder, (record) => void records.push(record))),
      () => records
    )
  })

describe.each(transports)("the record of an exchange over $name", (transport) => {
  it.live("is the request that the service received, and its answer character for character", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => json(201, sent))
      const records = yield* against(Effect.succeed(server), transport, () => recorded(Transactions.send(payout)))
      assert.lengthOf(records, 1)
      const [record] = records
      const request = server.received.at(-1)!
      assert.strictEqual(record!.operation, "transactions.send")
      assert.strictEqual(`${record!.method} ${record!.url}`, `POST ${originFor(server, transport)}${request.target}`)
      assert.include(request.body, "Überweisung 7")
      assert.strictEqual(record!.body, request.body)
      assert.deepStrictEqual(record!.answer, { status: 201, body: sent, isWhole: true })
      const received = Headers.fromInput(request.headers as ReadonlyArray<[string, string]>)
      for (const [name, value] of Object.entries(record!.headers)) {
        assert.strictEqual(value, name === "x-access-token" ? "<redacted>" : received[name], name)
      }
      assert.containsAllKeys(record!.headers, ["x-access-token", "accept", "content-type"])
    })
  )

  it.live("shows the address of a list with its query", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => json(200, { message: "", data: { items: [] }, status: 200 }))
      const program = recorded(Transactions.list({ clientId: "a b&c", limit: 2 }))
      const records = yield* against(Effect.succeed(server), transport, () => program)
      const url = `${originFor(server, transport)}${server.received.at(-1)!.target}`
      assert.deepStrictEqual(
        records.map(({ body, method, url }) => ({ body, method, url })),
        [{ body: undefined, method: "GET", url }]
      )
    })
  )

  it.live("shows every exchange of a call, in order", () =>
    Effect.gen(function* () {
      const answers = [refusal(503, "E50300", "Busy"), details]
      const server = yield* serverWithSession((_, nth) => answers[nth]!)
      const records = yield* against(Effect.succeed(server), transport, () => recorded(Vaults.details()), {
        // The stopped clock passes a pause of one second.
        retry: RetryPolicy.makeUnsafe({ read: { schedule: Schedule.spaced("1 second") } })
      })
      assert.deepStrictEqual(
        records.map(({ answer }) => answer?.status),
        [503, 200]
      )
    })
  )

  it.live("of an answer that never came, and of one that broke off, shows what is known", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession((_, nth) => (nth === 0 ? reset : silence))
      const records = yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const broken = yield* recorded(Transactions.send(payout))
          const waiting = yield* Effect.forkChild(
            Effect.provideService(Vaults.details(), Recorder, (record) => void broken.push(record))
          )
          while (server.received.length < 3) yield* Effect.promise(() => new Promise(setImmediate))
          yield* Fiber.interrupt(waiting)
          return broken
        })
      )
      assert.deepStrictEqual(
        records.map(({ answer, operation }) => [operation, answer]),
        [
          ["transactions.send", undefined],
          ["vaults.details", undefined]
        ]
      )
    })
  )

  it.live("holds no secret, although the service repeats all of them", () =>
    Effect.gen(function* () {
      const secrets = ["access-0", "access-1", "refresh-0", "refresh-1", apiKey, "secret-of-a-gateway"]
      const echo = (status: number, code: string) => refusal(status, code, secrets.join(" "))
      const server = yield* serverWithSession((request, nth) => {
        if (request.target.endsWith("/auth/refresh-token")) return refreshed(1)
        return nth === 0 ? echo(498, "E40003") : echo(400, "E40000")
      })
      const records = yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const call = Transactions.send({ ...payout, note: `${apiKey} access-0` })
          const ofCall = yield* recorded(withHeaders(call, { authorization: "secret-of-a-gateway" }))
          const ofSession = yield* recorded(Authentication.refreshToken({ refreshToken: Redacted.make("refresh-1") }))
          return [...ofCall, ...ofSession]
        })
      )
      assert.deepStrictEqual(
        records.map(({ answer, body, headers, operation }) => [
          operation,
          body,
          headers["x-access-token"],
          headers["authorization"],
          answer
        ]),
        [498, 400].map((status) => [
          "transactions.send",
          "<redacted>",
          "<redacted>",
          "<redacted>",
          { status, body: "<redacted>", isWhole: true }
        ])
      )
      const text = JSON.stringify(records)
      for (const secret of secrets) assert.notInclude(text, secret)
    })
  )

  it.live("is not made of a request that was certainly not sent, and a defect of the recorder changes nothing", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => json(201, sent))
      const result = yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          const late = yield* recorded(Effect.provideService(Transactions.send(payout), MayStart, () => false))
          const { id } = yield* Effect.provideService(Transactions.send(payout), Recorder, () => {
            throw new Error("a bug of the program")
          })
          return { late, id }
        })
      )
      // `fetch` cannot ask, and sends the first one too: the API key, perhaps the late one, and the second one.
      assert.strictEqual(result.late.length, server.received.length - 2)
      assert.strictEqual(result.id, "t-1")
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

describe("the record of an exchange with the emulator in the same process", () => {
  it.effect("shows the request and the row as the emulator gave it", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
      const records = yield* recorded(
        Effect.andThen(Transactions.send(payout), Transactions.list({ clientId: "alice" }))
      )
      assert.deepStrictEqual(
        records.map(({ operation }) => operation),
        ["transactions.send", "transactions.list"]
      )
      const [send, list] = records.map(({ answer, body }) => ({ body, answer: JSON.parse(answer!.body) }))
      assert.deepInclude(JSON.parse(send!.body!), { to: "0xabc", amount: "12.50" })
      const rows = list!.answer.data.items as ReadonlyArray<{ readonly id: unknown; readonly note?: string }>
      assert.strictEqual(rows.find(({ id }) => id === send!.answer.data.id)?.note, payout.note)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})
