/** A custom category with an assumed wire, and a recorder of its requests. */
import { TokenStore } from "@effect-custody/authentication"
import {
  ApiError,
  type ConfigurationInvalid,
  type CustodyClient,
  Endpoint,
  Environment,
  Upload,
  RetryPolicy
} from "@effect-custody/core"
import { Custody } from "@effect-custody/sdk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
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

const done = (data: unknown) => answer(200, { message: "Done", data, status: 200 })

/** Runs a program against a service with one answer. Returns its exit, and its requests without the exchange of the key. */
export const sentBy = <A, E>(
  program: Effect.Effect<A, E, CustodyClient>,
  options: {
    readonly environment?: Environment.Environment
    readonly respond?: (sent: Sent, index: number) => Response
    /** The contract of the client. */
    readonly contract?: Layer.Layer<never, ConfigurationInvalid>
  } = {}
) => {
  const { contract = Layer.empty, environment = local, respond = () => done({ id: "r-1" }) } = options
  let calls = 0
  const http = stubHttp((sent) =>
    Effect.sync(() =>
      sent.url.endsWith("/auth/generate-tokens")
        ? answer(201, { message: "", data: { accessToken: "access-0", refreshToken: "refresh-0" }, status: 201 })
        : respond(sent, calls++)
    )
  )
  const client = Custody.layer({ environment, apiKey: Redacted.make("one-time-api-key"), retry: RetryPolicy.none })
  return Effect.map(
    Effect.exit(
      Effect.provide(program, Layer.fresh(Layer.provide(client, [http.layer, TokenStore.layerMemory, contract])))
    ),
    (exit) => ({ exit, all: http.sent, sent: http.sent.filter(({ url }) => !url.includes("/auth/")) })
  )
}

/** Returns the only request that a program sends. */
export const requestOf = <A, E>(program: Effect.Effect<A, E, CustodyClient>, environment = local) =>
  Effect.map(sentBy(program, { environment }), ({ exit, sent }) => {
    assert.strictEqual(exit._tag, "Success", String(exit))
    assert.strictEqual(sent.length, 1)
    return sent[0]!
  })
