/** The server's pages: the emulator's page, and the reference of the API. Only the same machine may load them. */
import { refusal } from "../localPage/Guard.ts"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Overview from "../control/overview.ts"
import type { Emulator } from "../service/emulator.ts"

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

// These modules are loaded on first use, so that an emulator starts faster.
const loadPage = Effect.promise(() => import("./page.ts"))
const loadReference = Effect.promise(() => import("./openApi.ts"))

/** Finds the page at a URL. */
export const site = Effect.fnUntraced(function* (emulator: Emulator, baseUrl: string) {
  const references: Readonly<Record<string, Answer>> = {
    "/docs": Effect.flatMap(loadReference, ({ reference }) => reference(baseUrl)),
    "/openapi.json": Effect.map(loadReference, ({ document }) => document(baseUrl)),
    "/emulator/overview": Effect.map(Overview.take(emulator.world, emulator.controls), (overview) =>
      HttpServerResponse.jsonUnsafe(overview, { headers: { "cache-control": "no-store" } })
    )
  }
  const page = yield* Effect.cached(Effect.map(loadPage, ({ make }) => make(baseUrl)))
  const files: ReadonlySet<string> = new Set(["/", "/page.js", "/page.css", "/parts.js", "/parts.css", "/visible.js"])
  return (request: HttpServerRequest.HttpServerRequest): Answer | undefined => {
    const { method, url } = request
    if (method !== "GET") return undefined
    if (Object.hasOwn(references, url)) return refusal(request) ?? references[url]
    if (!files.has(url)) return undefined
    return refusal(request) ?? Effect.map(page, (file) => file(url.slice(1))!)
  }
})
