import { Clients } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { against, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { header, json } from "../support/servers/wireServer.ts"

const absent = { status: 404, message: "Client not found", errors: {}, code: "E04404" }

describe.each(transports)("a cache before the service over $name", (transport) => {
  it.effect("a cached 404 allows no second creation, and a look-up asks for no cached answer", () =>
    against(
      serverWithSession(({ method }, nth) =>
        method === "POST"
          ? json(502, "<html>")
          : json(404, absent, nth === 0 ? {} : { age: "1", "x-cache": "Error from cloudfront" })
      ),
      transport,
      ({ received }) =>
        Effect.gen(function* () {
          assert.isTrue(Option.isNone(yield* Clients.find({ externalId: "alice" })))
          const error = yield* Effect.flip(Clients.create({ externalId: "alice" }))
          assert.strictEqual(error._tag, "OutcomeUnknown")
          assert.deepStrictEqual(
            received.map((request) => [
              `${request.method} ${request.target.slice("/api/integration".length)}`,
              ...header(request, "cache-control")
            ]),
            [
              ["POST /auth/generate-tokens"],
              ["GET /clients/alice"],
              ["POST /clients/create"],
              ["GET /clients/alice", "no-cache"]
            ]
          )
        })
    )
  )
})
