/** Serves an emulator over HTTP. */
import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { hostRefusal, isLoopback } from "../localPage/Guard.ts"
import { controlApi, controlPrefix } from "../control/controlApi.ts"
import type { Emulator } from "../service/emulator.ts"
import { type Outcome, type Reply, toResponse } from "../http/outcome.ts"
import { basePath } from "../service/routes.ts"
import { site } from "./site.ts"
import type { Save } from "../control/snapshotFile.ts"

/** The address of the server, and the file for its state. */
export interface Listen {
  /** Default: 0, which chooses any free port. */
  readonly port?: number | undefined
  /** Default: 127.0.0.1, which other machines cannot reach. */
  readonly host?: string | undefined
  /** A file for the emulator's state. The file holds keys and tokens, so only its owner may read it. */
  readonly snapshotFile?: string | undefined
}

/** Resets the connection and destroys its response, so that Effect's server does not send the empty response. */
const breakConnection = (response: ServerResponse): HttpServerResponse.HttpServerResponse => {
  response.socket?.resetAndDestroy()
  response.destroy()
  return HttpServerResponse.empty()
}

const truncate = (response: ServerResponse, { body, headers, status }: Reply, bytes: number) =>
  Effect.callback<HttpServerResponse.HttpServerResponse>((resume) => {
    const whole = Buffer.from(body)
    response.writeHead(status, { ...headers, "content-length": whole.byteLength })
    response.flushHeaders()
    // End the socket before the reset, because a reset discards the bytes that are still in the socket's buffer.
    response.write(whole.subarray(0, bytes), () => {
      response.socket?.end(() => resume(Effect.sync(() => breakConnection(response))))
    })
  })

const respond = (
  request: HttpServerRequest.HttpServerRequest,
  outcome: Outcome
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (outcome._tag === "Replied") return Effect.succeed(toResponse(outcome.reply))
  const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
  return outcome._tag === "Broken"
    ? Effect.sync(() => breakConnection(response))
    : truncate(response, outcome.reply, outcome.bytes)
}

/** The maximum size of a body, far above any JSON request of the API. Uploads are streams and have their own limits. */
const maxBodySize = ByteSize.mebibytes(1)

/** Serves an emulator until the scope closes. Returns its base address. */
export const serve = Effect.fnUntraced(function* (
  emulator: Emulator,
  { host = "127.0.0.1", port = 0, save }: Pick<Listen, "host" | "port"> & { readonly save?: Save | undefined }
) {
  const node = createServer()
  // Finalizers run in reverse order. So the finalizer that saves is added before the others: it runs last, after the
  // last request.
  let started = false
  if (save !== undefined) {
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (started ? save : Effect.void)).pipe(Effect.catch((error) => Effect.logError(error.message)))
    )
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  const server = yield* NodeHttpServer.make(() => node, {
    host,
    port,
    gracefulShutdownTimeout: Duration.seconds(1)
  })
  started = true
  const address = node.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  const baseUrl = `http://${reachable}:${bound}${basePath}`
  // Check the Host header only on loopback. On another address, the server may legitimately have any host name.
  const checksHost = typeof address === "object" && address !== null && isLoopback(address.address)
  const control = controlApi(emulator.controls, save)
  const pages = yield* site(emulator, baseUrl)
  yield* server.serve(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const api = Effect.flatMap(emulator.service.exchange(request), (outcome) => respond(request, outcome))
      if (!request.url.startsWith(basePath)) {
        const page = pages(request) ?? (request.url.startsWith(controlPrefix) ? control(request) : undefined)
        if (page !== undefined) return page
      }
      return (checksHost ? hostRefusal(request) : undefined) ?? api
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize))
  )
  return baseUrl
})
