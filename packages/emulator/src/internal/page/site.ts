/** The server's pages: the emulator's page, the API reference, and the stream of requests. */
import type { WireContract } from "@effect-custody/core/WireContract"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Received } from "../../Received.ts"
import type { Emulator } from "../emulator.ts"
import { refusal } from "../http/guard.ts"
import * as Overview from "../control/overview.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const encode = Schema.encodeResult(Schema.toCodecJson(Schema.Array(Received)))

/** Requests as Server-Sent Events, in batches. A slow page misses the oldest ones. */
const events = ({ controls }: Emulator): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    controls.exchanges.pipe(
      Stream.buffer({ capacity: 5_000, strategy: "sliding" }),
      Stream.groupedWithin(500, "50 millis"),
      Stream.map((received) => `data: ${JSON.stringify(Result.getOrThrow(encode(received)))}\n\n`),
      Stream.merge(Stream.map(Stream.tick("15 seconds"), () => ":\n\n")),
      Stream.encodeText
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
  )

type Documents = typeof import("./openApi.ts")

const documentPage = (path: string, of: (documents: Documents) => OpenApi.OpenAPISpec): Answer =>
  Effect.map(
    Effect.promise(() => Promise.all([import("./openApi.ts"), import("./reference.ts")])),
    ([documents, { reference }]) => reference(of(documents), path)
  )

const openApi = (of: (documents: Documents) => OpenApi.OpenAPISpec): Answer =>
  Effect.map(
    Effect.promise(() => import("./openApi.ts")),
    (documents) => HttpServerResponse.jsonUnsafe(of(documents))
  )

/** Loaded on first use, so that an emulator starts faster. */
const pages = {
  page: (baseUrl: string): Answer =>
    Effect.promise(() => Promise.all([import("@effect-custody/sdk/CustodyApi"), import("./page.ts")])).pipe(
      Effect.map(([{ CustodyApi }, { page }]) =>
        page(
          baseUrl,
          CustodyApi.operations.map(({ name }) => name)
        )
      )
    ),
  reference: (baseUrl: string, contract: WireContract): Answer =>
    documentPage("/openapi.json", ({ apiDocument }) => apiDocument(baseUrl, contract)),
  controlReference: documentPage("/emulator/openapi.json", ({ controlDocument }) => controlDocument()),
  openApi: (baseUrl: string, contract: WireContract): Answer =>
    openApi(({ apiDocument }) => apiDocument(baseUrl, contract)),
  controlOpenApi: openApi(({ controlDocument }) => controlDocument())
}

/** The page at a URL, if there is one. For the same machine only. */
export const site = (
  emulator: Emulator,
  baseUrl: string
): ((request: HttpServerRequest.HttpServerRequest) => Answer | undefined) => {
  const overview = Effect.map(Overview.take(emulator.world, emulator.controls), (overview) =>
    HttpServerResponse.jsonUnsafe(overview, { headers: { "cache-control": "no-store" } })
  )
  const answers: Readonly<Record<string, () => Answer>> = {
    "/": () => pages.page(baseUrl),
    "/docs": () => pages.reference(baseUrl, emulator.contract),
    "/openapi.json": () => pages.openApi(baseUrl, emulator.contract),
    "/emulator/docs": () => pages.controlReference,
    "/emulator/openapi.json": () => pages.controlOpenApi,
    "/emulator/events": () => Effect.sync(() => events(emulator)),
    "/emulator/overview": () => overview
  }
  const get: HttpMethod = "GET"
  return (request) => {
    if (request.method !== get || !Object.hasOwn(answers, request.url)) return undefined
    const refused = refusal(request)
    return refused === undefined
      ? answers[request.url]!()
      : Effect.succeed(HttpServerResponse.jsonUnsafe({ status: 403, message: refused }, { status: 403 }))
  }
}
