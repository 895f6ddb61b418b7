import { Telemetry, Vaults } from "@effect-custody/sdk"
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
