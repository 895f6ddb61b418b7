/** The service behind a socket. */
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
import { controlApi, controlPrefix } from "./controlApi.ts"
import type { Emulator } from "./emulator.ts"
import type { Outcome, Reply } from "./faults.ts"
import { basePath } from "./routes.ts"
import { site } from "./site.ts"
import type { Save } from "./snapshotFile.ts"

/** Where to listen. */
export interface Listen {
  /** Default: 0, any free one. */
  readonly port?: number | undefined
  /** Default: 127.0.0.1, which is not reached from other machines. */
  readonly host?: string | undefined
  /** A file for what the emulator knows. It will hold keys and tokens, and is for its owner only. */
  readonly snapshotFile?: string | undefined
}

/** No HTTP at all: the connection is reset, and Effect's server finds it gone when it wants to answer. */
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
    // The bytes leave before the connection does: a reset would overtake them.
    response.write(whole.subarray(0, bytes), () => {
      response.socket?.end(() => resume(Effect.sync(() => breakConnection(response))))
    })
  })

const shown = (
  request: HttpServerRequest.HttpServerRequest,
  outcome: Outcome
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (outcome._tag === "Replied") {
    const { body, headers, status } = outcome.reply
    return Effect.succeed(
      HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] ?? "text/plain" })
    )
  }
  const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
  return outcome._tag === "Broken"
    ? Effect.sync(() => breakConnection(response))
    : truncate(response, outcome.reply, outcome.bytes)
}

/** No request of the API comes near it, uploads excepted, which are streams. */
const maxBodySize = ByteSize.mebibytes(1)

/** Serves an emulator until the scope is closed, and gives its base address. */
export const serve = Effect.fnUntraced(function* (
  emulator: Emulator,
  { host = "127.0.0.1", port = 0, save }: Pick<Listen, "host" | "port"> & { readonly save?: Save | undefined }
) {
  const node = createServer()
  // The last thing that happens: by then nothing more can be received.
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
  const control = controlApi(emulator.controls, save)
  const shows = site(emulator, baseUrl)
  yield* server.serve(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (request.url.startsWith(basePath)) {
        return Effect.flatMap(emulator.service.exchange(request), (outcome) => shown(request, outcome))
      }
      const page = shows(request)
      if (page !== undefined) return page
      return request.url.startsWith(controlPrefix)
        ? control(request)
        : Effect.flatMap(emulator.service.exchange(request), (outcome) => shown(request, outcome))
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize))
  )
  return baseUrl
})
