/** A custom category with an assumed wire, and a recorder of its requests. */
import { ApiError, CustodyClient, Endpoint, Environment, Upload, RetryPolicy } from "@effect-custody/core"
import { Transport } from "@effect-custody/core/siblings/Transport"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { makeSession } from "./scriptedTransport.ts"
import { answer, type Sent, stubHttp } from "./stubHttp.ts"

const section = "our own agreement with the service"

const Report = Schema.Struct({ id: Schema.String, total: Schema.optionalKey(Schema.String) })

/** The functions of a custom category with every part that a declaration may have. */
export const Reports = {
  list: Endpoint.list("reports.list", {
    route: "GET /reports/:year/days",
    assumed: section,
    params: { year: Schema.FiniteFromString },
    query: { kind: Schema.optionalKey(Schema.Literals(["daily", "weekly"])) },
    success: Report,
    errors: [ApiError.NotFound]
  }),
  create: Endpoint.write("reports.create", {
    route: "POST /reports/:day",
    assumed: section,
    params: { day: Schema.String },
    payload: {
      title: Schema.String,
      lines: Schema.optionalKey(Schema.Array(Schema.Struct({ amount: Schema.Finite }))),
      note: Schema.optionalKey(Schema.String)
    },
    success: Report,
    errors: [ApiError.NotFound],
    lookUp: () => ({ operation: "reports.list" })
  }),
  upload: Endpoint.write("reports.upload", {
    route: "POST /reports/upload",
    assumed: section,
    payload: {
      title: Schema.String,
      pages: Schema.optionalKey(Schema.Int),
      document: Upload.File,
      appendix: Schema.optionalKey(Upload.File)
    },
    isMultipart: true,
    success: Report
  }),
  remove: Endpoint.write("reports.remove", {
    route: "DELETE /reports/:day",
    assumed: section,
    params: { day: Schema.String },
    success: Schema.Unknown,
    errors: [ApiError.NotFound],
    status: 200
  })
}

/** The API of the category. */
export const OwnApi = { categories: { reports: Reports } }

/** A file to upload. */
export const document = Upload.fromBytes({
  name: "day.csv",
  contentType: "text/csv",
  bytes: new TextEncoder().encode("a,b\r\n1,2\r\n")
})

/** An environment with the money of customers. */
export const real = Environment.production({ subdomain: "acme", host: "custody.example" })
/** A local environment. */
export const local = Environment.emulator("http://127.0.0.1:4010/api/integration")

/** An answer with a payload. */
export const done = (data: unknown) => answer(200, { message: "Done", data, status: 200 })

/** Runs a program against a service with one answer, with a session that always has a token. Returns its exit, and its requests. */
export const sentBy = <A, E>(
  program: Effect.Effect<A, E, CustodyClient>,
  options: {
    readonly environment?: Environment.Environment
    readonly respond?: (sent: Sent, index: number) => Response
  } = {}
) => {
  const { environment = local, respond = () => done({ id: "r-1" }) } = options
  const http = stubHttp((sent, index) => Effect.sync(() => respond(sent, index)))
  const token = Effect.succeed({ value: Redacted.make("access-0"), generation: 0 })
  const client = CustodyClient.layer({ retry: RetryPolicy.none }).pipe(
    Layer.provide([Transport.layer({ environment }), makeSession({ token })]),
    Layer.provide(http.layer)
  )
  return Effect.map(Effect.exit(Effect.provide(program, Layer.fresh(client))), (exit) => ({ exit, sent: http.sent }))
}

/** Returns the only request that a program sends. */
export const requestOf = <A, E>(program: Effect.Effect<A, E, CustodyClient>, environment = local) =>
  Effect.map(sentBy(program, { environment }), ({ exit, sent }) => {
    assert.strictEqual(exit._tag, "Success", String(exit))
    assert.strictEqual(sent.length, 1)
    return sent[0]!
  })
