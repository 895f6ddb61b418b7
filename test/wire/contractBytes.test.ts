/** Contracts on a server of `node:http`: literal bytes, and the outcomes of calls. */
import { type ContractFile, ServiceContract } from "@effect-custody/contract"
import { Amount, type CustodyClient, Environment, Page } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Clients, CustodyApi, PaymentOrders, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Result } from "effect"
import { withoutWaiting } from "../support/clock.ts"
import { json, wireServer } from "../support/servers/wireServer.ts"
import { clientOf } from "./vectors/run.ts"

type Answer = ReturnType<typeof json>

/** What a call sends under a contract, and what comes of it. */
const exchange = <A, E>(
  contract: ContractFile.File,
  call: Effect.Effect<A, E, CustodyClient>,
  answer: (target: string) => Answer
) =>
  Effect.gen(function* () {
    const server = yield* wireServer(({ target }) => answer(target))
    const client = clientOf(Environment.emulator(server.baseUrl)).pipe(Layer.provide(NodeCustody.layerHttpClient()))
    const layer = ServiceContract.layer(contract as object, CustodyApi)
    const outcome = yield* Effect.result(call).pipe(Effect.provide([layer, client]), withoutWaiting)
    const sent = server.received.map((request) => ({
      line: `${request.method} ${request.target.replace("/api/integration", "")}`,
      body: request.body
    }))
    return { outcome, sent }
  })

const amount = (text: string) => Option.getOrThrow(Amount.fromString(text))

const send = (fields: object = {}) =>
  Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x2", amount: amount("12.5"), ...fields })

const of = (operation: string, entry: ContractFile.Differences): ContractFile.File => ({
  operations: { [operation]: entry }
})

const numeric = of("transactions.get", { fields: { transactionId: { as: "number" } } })

const payouts: ContractFile.File = {
  defaults: { values: { states: { PENDING: ["queued", "signing"] } } },
  operations: {
    "transactions.send": {
      route: "/accounts/:clientId/payouts",
      fields: {
        to: "destination.address",
        amount: { at: "amount.minor", as: { minor: 6 } },
        note: "memo",
        networkId: "omit"
      },
      constants: { type: "EXTERNAL" },
      payload: null,
      response: { id: "payout_id", status: { at: "state", values: "states" } }
    }
  }
}

const tagOf = (outcome: Result.Result<unknown, { readonly _tag: string }>): string =>
  Result.isFailure(outcome) ? outcome.failure._tag : "done"

describe("a call under a contract", () => {
  it.live("a call puts its fields in their places, and reads fields from theirs", () =>
    Effect.gen(function* () {
      const { outcome, sent } = yield* exchange(payouts, send({ note: "r-1" }), () =>
        json(200, { payout_id: 7, state: "signing", amount: { minor: 1 }, destination: { address: "0x2" } })
      )
      assert.deepStrictEqual(sent, [
        {
          line: "POST /accounts/alice/payouts",
          body: `{"type":"EXTERNAL","assetId":"usdc","destination":{"address":"0x2"},"amount":{"minor":12500000},"memo":"r-1"}`
        }
      ])
      assert(Result.isSuccess(outcome))
      assert.deepInclude<object>(outcome.success, { id: "7", status: "PENDING" })
      // What nobody placed is kept as it came.
      assert.deepStrictEqual<unknown>(outcome.success.extra["destination"], { address: "0x2" })
    })
  )

  it.live("a call sends every digit of a number that a double does not hold", () =>
    Effect.gen(function* () {
      const whole = "123456789123456789012.345678"
      const { sent } = yield* exchange(payouts, send({ assetId: "eth", amount: amount(whole) }), () =>
        json(200, { payout_id: 7 })
      )
      assert.include(sent[0]!.body, `"minor":123456789123456789012345678}`)
    })
  )

  it.live("a call that the wire cannot express fails, and sends nothing", () =>
    Effect.gen(function* () {
      const cursors: ContractFile.File = { defaults: { paging: { style: "cursor", next: "next" } } }
      const calls: ReadonlyArray<readonly [ContractFile.File, Effect.Effect<unknown, any, CustodyClient>, string]> = [
        [payouts, send({ amount: amount("0.1234567") }), "has more than 6 decimal places"],
        [payouts, send({ clientId: ".." }), "cannot be a segment of a path"],
        [{}, Transactions.list({ clientId: "a\ud800" }), "half a character"],
        [cursors, Transactions.list({ page: 2 }), "the service pages by cursor"],
        [{}, Transactions.list({}).pipe(Page.after("c")), "does not page by cursor"],
        // A caller that names a network must not be paid on another one.
        [payouts, send({ networkId: "eth" }), "networkId: is not sent under the contract: leave it out"],
        [{ defaults: { paging: "none" } }, Transactions.list({ page: 2 }), "the list is whole"],
        [numeric, Transactions.get({ transactionId: "t-1" }), "has to be a number"],
        [
          {
            defaults: { values: { states: { PENDING: "p", COMPLETED: "c" } }, fields: { status: { values: "states" } } }
          },
          Transactions.list({ status: "COMPLETED" }),
          ""
        ]
      ]
      for (const [contract, call, message] of calls) {
        const { outcome, sent } = yield* exchange(contract, call, () => json(200, { data: [] }))
        if (message === "") {
          assert.deepStrictEqual(sent[0]?.line, "GET /transactions?status=c")
          continue
        }
        assert(Result.isFailure(outcome), message)
        assert.strictEqual(outcome.failure._tag, "RequestInvalid")
        assert.include(outcome.failure.message, message)
        assert.deepStrictEqual(sent, [])
      }
    })
  )

  it.live("a call succeeds only with the contract's sign of a success", () =>
    Effect.gen(function* () {
      const contract = { defaults: { errors: { when: { at: "head.rc", success: [0, "E00000"] } } } }
      const cancel = PaymentOrders.cancel({ orderId: "o-1" })
      for (const [body, list, write] of [
        [{ head: { rc: 0 }, message: "ok" }, "done", "done"],
        [{ head: { rc: "E00000" }, message: "ok", status: 200 }, "done", "done"],
        [{ head: { rc: 7 }, message: "ok" }, "UnexpectedResponse", "OutcomeUnknown"],
        [{ message: "ok" }, "UnexpectedResponse", "OutcomeUnknown"],
        [{ head: { rc: 0 }, success: false }, "UnexpectedResponse", "OutcomeUnknown"]
      ] as const) {
        const read = yield* exchange(contract, Transactions.list({}), () => json(200, { ...body, data: [] }))
        assert.strictEqual(tagOf(read.outcome), list)
        const changed = yield* exchange(contract, cancel, () => json(200, { ...body, data: null }))
        assert.strictEqual(tagOf(changed.outcome), write)
      }
      const refused = yield* exchange(contract, cancel, () =>
        json(400, { status: 400, message: "No", errors: { message: "No" }, code: "E40000" })
      )
      assert.strictEqual(tagOf(refused.outcome), "BadRequest")
    })
  )

  it.live("a doubtful status leaves a change in doubt, and refuses a read", () =>
    Effect.gen(function* () {
      const contract: ContractFile.File = { defaults: { errors: { doubtful: [409] } } }
      const conflict = () => json(409, { code: "E10001", message: "conflict" })
      assert.strictEqual(tagOf((yield* exchange(contract, send(), conflict)).outcome), "OutcomeUnknown")
      assert.strictEqual(tagOf((yield* exchange({}, send(), conflict)).outcome), "UnknownApiError")
      const read = yield* exchange(contract, Clients.get({ externalId: "alice" }), conflict)
      assert.strictEqual(tagOf(read.outcome), "UnknownApiError")
    })
  )

  it.live("a code has the contract's meaning, and its error has the specification's code and our names", () =>
    Effect.gen(function* () {
      const contract: ContractFile.File = {
        defaults: {
          casing: "snake_case",
          errors: {
            code: "errors.0.code",
            message: "errors.0.detail",
            fields: "errors.0.fields",
            tags: { bad_fields: "ValidationFailed", gone: "NotFound" }
          }
        }
      }
      const answer = (code: string) => () =>
        json(400, { errors: [{ code, detail: "no", fields: { asset_id: ["unknown"] } }] })
      const invalid = yield* exchange(contract, send(), answer("bad_fields"))
      assert(Result.isFailure(invalid.outcome) && invalid.outcome.failure._tag === "ValidationFailed")
      assert.deepInclude<object>(invalid.outcome.failure, { code: "E00402" })
      assert.deepStrictEqual(invalid.outcome.failure.fields, { assetId: ["unknown"] })
      const gone = yield* exchange(contract, Clients.get({ externalId: "alice" }), answer("gone"))
      assert.strictEqual(tagOf(gone.outcome), "NotFound")
    })
  )

  it.live("only a listed code proves that a record does not exist, if the contract lists one", () =>
    Effect.gen(function* () {
      const none: ContractFile.File = { defaults: { errors: { code: "error.code", message: "error.text" } } }
      const listed: ContractFile.File = {
        defaults: { errors: { ...none.defaults!.errors, tags: { no_client: "NotFound", E20404: "NotFound" } } }
      }
      // A service without codes, whose message is always the same, has that as its code.
      const worded: ContractFile.File = {
        defaults: { errors: { code: "message", tags: { "Client not found": "NotFound" } } }
      }
      const coded = (code: unknown, status = 404) => json(status, { error: { code, text: "no" } })
      const answers: ReadonlyArray<readonly [ContractFile.File, Answer, end: string]> = [
        [none, coded("E20404"), "none"],
        [none, coded("no_client"), "UnexpectedResponse"],
        [none, coded(404), "UnexpectedResponse"],
        [listed, coded("no_client"), "none"],
        [listed, coded("no_client", 400), "none"],
        [listed, coded("E20404"), "none"],
        [listed, coded("E20405"), "UnexpectedResponse"],
        [
          { defaults: { errors: { ...none.defaults!.errors, doubtful: [404] } } },
          coded("E20404"),
          "UnexpectedResponse"
        ],
        [worded, json(404, { status: 404, message: "Client not found" }), "none"],
        [worded, json(404, { message: "no Route matched with those values" }), "UnexpectedResponse"]
      ]
      for (const [contract, answer, end] of answers) {
        const { outcome } = yield* exchange(contract, Clients.find({ externalId: "alice" }), () => answer)
        const is = Result.isSuccess(outcome) && Option.isNone(outcome.success) ? "none" : tagOf(outcome)
        assert.strictEqual(is, end, answer.toString())
      }
    })
  )

  it.live("a call does not send omitted fields, the page of a whole list, or parts of a second", () =>
    Effect.gen(function* () {
      const line = Effect.fnUntraced(function* (
        contract: ContractFile.File,
        call: Effect.Effect<unknown, any, CustodyClient>
      ) {
        const { sent } = yield* exchange(contract, call, () => json(200, { data: [] }))
        return `${sent[0]?.line} ${sent[0]?.body}`.trim()
      })
      const one = of("transactions.send", { fields: { networkId: "omit" } })
      assert.strictEqual(
        yield* line(one, send()),
        `POST /transactions/send {"clientId":"alice","assetId":"usdc","to":"0x2","amount":"12.5"}`
      )
      const whole: ContractFile.File = { defaults: { paging: "none" } }
      assert.strictEqual(yield* line(whole, Transactions.list({ page: 1, limit: 5 })), "GET /transactions")
      const between = {
        from: DateTime.makeUnsafe("2026-11-24T10:09:57.873Z"),
        to: DateTime.makeUnsafe("2026-11-24T10:09:58.873Z")
      }
      const seconds: ContractFile.File = { defaults: { times: "seconds" } }
      // The upper bound is rounded up, so that no row is lost.
      assert.strictEqual(
        yield* line(seconds, Transactions.list(between)),
        "GET /transactions?from=1795514997&to=1795514999"
      )
    })
  )

  it.live("a time without a zone is read as UTC", () =>
    Effect.gen(function* () {
      const times = ["2026-11-24T10:09:57.873", "2026-11-24 10:09", "2026-11-24T10:09:57+02:00", "24 November"]
      const { outcome } = yield* exchange({ defaults: { times: "iso" } }, Transactions.list({}), () =>
        json(200, { data: times.map((createdAt, at) => ({ id: `t-${at}`, status: "PENDING", createdAt })) })
      )
      assert.deepStrictEqual(
        Result.getOrThrow(outcome).items.map(({ createdAt, extra }) => createdAt?.toJSON() ?? extra["createdAt"]),
        ["2026-11-24T10:09:57.873Z", "2026-11-24T10:09:00.000Z", "2026-11-24T08:09:57.000Z", "24 November"]
      )
    })
  )

  it.live("a call translates values by the map in the defaults", () =>
    Effect.gen(function* () {
      const states = { values: "states" } as const
      const contract: ContractFile.File = {
        defaults: {
          amounts: { minor: 2 },
          values: { states: { COMPLETED: ["done", "final"], PENDING: "new" } },
          fields: { status: states },
          response: { status: states }
        }
      }
      // A filter with one of several words would hide the rows of the others.
      const refused = yield* exchange(contract, Transactions.list({ status: "COMPLETED" }), () => json(200, {}))
      assert.strictEqual(tagOf(refused.outcome), "RequestInvalid")
      const { outcome, sent } = yield* exchange(contract, Transactions.list({ status: "PENDING" }), () =>
        json(200, {
          data: ["final", "queued"].map((status, at) => ({ id: `t-${at}`, status, amount: 150, fee: null }))
        })
      )
      assert.strictEqual(sent[0]?.line, "GET /transactions?status=new")
      const { items } = Result.getOrThrow(outcome)
      assert.deepStrictEqual<ReadonlyArray<string>>(
        items.map(({ status }) => status),
        ["COMPLETED", "queued"]
      )
      // A null is no value, and nothing that could not be read.
      for (const { amount: sum, extra, fee } of items) {
        assert.deepStrictEqual([sum && Amount.format(sum), fee, extra], ["1.50", undefined, {}])
      }
    })
  )
})
