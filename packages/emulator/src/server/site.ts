/** The server's pages: the emulator's page, and the API references. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Emulator } from "../service/emulator.ts"
import { refusal } from "../control/Guard.ts"
import * as Overview from "../control/overview.ts"

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

// These modules are loaded on first use, so that an emulator starts faster.
const loadPage = Effect.promise(() => import("./page.ts"))
const loadApis = Effect.promise(() => import("./openApi.ts"))

const underContract = HttpServerResponse.text(
  "The emulator's wire follows a contract: see the service's own document. Without a contract, this page shows the assumed wire.\n",
  { status: 404 }
)

/** Finds the page at a URL. Only the same machine may load pages. */
export const site = (
  emulator: Emulator,
  baseUrl: string
): ((request: HttpServerRequest.HttpServerRequest) => Answer | undefined) => {
  const apis = Effect.map(loadApis, (apis) => ({ ...apis, service: apis.serviceApi(baseUrl) }))
  /** Serves a page only without a contract, because the page would show a wrong wire under a contract. */
  const assumedOnly = (page: Answer): Answer =>
    emulator.contract.checked === undefined ? page : Effect.succeed(underContract)
  const pages: Readonly<Record<string, Answer>> = {
    "/": Effect.map(loadPage, ({ page }) => page(baseUrl)),
    "/docs": assumedOnly(Effect.flatMap(apis, ({ reference, service }) => reference(service, "/docs"))),
    "/openapi.json": assumedOnly(Effect.flatMap(apis, ({ document, service }) => document(service))),
    "/emulator/docs": Effect.flatMap(apis, ({ ControlApi, reference }) => reference(ControlApi, "/emulator/docs")),
    "/emulator/openapi.json": Effect.flatMap(apis, ({ ControlApi, document }) => document(ControlApi)),
    "/emulator/overview": Effect.map(Overview.take(emulator.world, emulator.controls), (overview) =>
      HttpServerResponse.jsonUnsafe(overview, { headers: { "cache-control": "no-store" } })
    )
  }
  return (request) => {
    if (request.method !== "GET" || !Object.hasOwn(pages, request.url)) return undefined
    return refusal(request) ?? pages[request.url]!
  }
}
