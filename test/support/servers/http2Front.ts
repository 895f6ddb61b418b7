/** A proxy that speaks HTTP/2 over TLS with its clients, and HTTP/1.1 with the service. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Http2 from "node:http2"
import type { AddressInfo } from "node:net"
import { trusted } from "./trusted.ts"

/** Headers of one connection, which a proxy does not pass on. */
const hopByHop = new Set(["connection", "keep-alive", "transfer-encoding"])

const passedOn = (headers: Http.IncomingHttpHeaders): Http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":") && !hopByHop.has(name)))

/** Starts a proxy before the service at a base address until the scope ends. Returns its base address. */
export const http2Front = (target: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { hostname, pathname, port } = new URL(target)
    const sessions = new Set<Http2.ServerHttp2Session>()
    const server = Http2.createSecureServer(trusted, (request, response) => {
      const { headers, method, url } = request
      const forwarded = Http.request({ hostname, port, path: url, method, headers: passedOn(headers) }, (answer) => {
        if (response.stream.destroyed) return void answer.resume()
        response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers))
        answer.pipe(response)
      })
      // A service that breaks off has given no answer, and its proxy cannot tell why.
      forwarded.on("error", () => response.stream.close(Http2.constants.NGHTTP2_INTERNAL_ERROR))
      request.on("aborted", () => forwarded.destroy())
      request.pipe(forwarded)
    })
    server.on("session", (session) => {
      sessions.add(session)
      session.on("error", () => {})
      session.on("close", () => sessions.delete(session))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          for (const session of sessions) session.destroy()
          server.close()
        })
    )
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
  })
