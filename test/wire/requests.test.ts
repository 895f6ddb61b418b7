import { Amount, Telemetry, Tokens, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { against, details, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { header, json } from "../support/servers/wireServer.ts"

describe.each(transports)("requests over $name", (transport) => {
  it.live("a request carries neither a cookie of the service nor the trace of the caller", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() =>
        json(200, { message: "", data: {}, status: 200 }, { "set-cookie": "sid=1; Path=/" })
      )
      yield* against(Effect.succeed(server), transport, () =>
        Effect.andThen(Vaults.details(), Vaults.details()).pipe(Effect.withSpan("caller"))
      )
      assert.strictEqual(server.received.length, 3)
      for (const request of server.received) {
        for (const name of ["cookie", "traceparent", "b3"]) assert.deepStrictEqual(header(request, name), [], name)
      }
    })
  )

  it.live("a field that is undefined is absent from the query, from JSON and from a form", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(({ method }) =>
        method === "GET" ? json(200, { data: [], status: 200 }) : json(201, { data: { id: "t-1" }, status: 201 })
      )
      const amount = Amount.of("3")
      const payment = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount }
      yield* against(Effect.succeed(server), transport, () =>
        Effect.gen(function* () {
          yield* Transactions.list({ clientId: "alice", status: undefined, from: undefined, page: undefined })
          yield* Transactions.transfer({ ...payment, note: undefined })
          yield* Tokens.burn({ tokenId: "tok-1", amount, note: undefined, document: undefined })
        })
      )
      const [, list, transfer, burn] = server.received
      assert.strictEqual(list!.target, "/api/integration/transactions?clientId=alice")
      assert.deepStrictEqual<unknown>(JSON.parse(transfer!.body), {
        fromClientId: "alice",
        toClientId: "bob",
        assetId: "usdc",
        amount: "3"
      })
      assert.deepStrictEqual(burn!.body.match(/name="\w+"/g), ['name="amount"'])
    })
  )

  it.live("a request with traceContext carries the trace of the caller, only in the W3C format", () =>
    Effect.gen(function* () {
      const server = yield* serverWithSession(() => details)
      const caller = yield* against(Effect.succeed(server), transport, () =>
        Effect.andThen(Vaults.details(), Effect.currentSpan).pipe(Effect.withSpan("caller"))
      ).pipe(Effect.provide(Telemetry.layer({ traceContext: true })))
      assert.strictEqual(server.received.length, 2)
      for (const request of server.received) {
        const [traceparent = ""] = header(request, "traceparent")
        assert.match(traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
        assert.strictEqual(traceparent.split("-")[1], caller.traceId)
        for (const name of ["b3", "tracestate", "baggage"]) assert.deepStrictEqual(header(request, name), [], name)
      }
    })
  )
})
