/** A server that accepts or refuses an upload, and keeps almost nothing of it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Crypto from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

export interface Upload {
  readonly headers: Http.IncomingHttpHeaders
  /** The digest of the whole body in hexadecimal. Empty if the body is incomplete. */
  readonly hash: string
  readonly size: number
  /** The body if it is short. */
  readonly text: string
}

export interface UploadServer {
  readonly origin: string
  readonly uploads: ReadonlyArray<Upload>
}

/** Decides on the nth request, from 0: accept it with 201, or answer 498 after a number of bytes and close. */
export type Plan = (nth: number) => "take" | { readonly expiredAfter: number }

const json = (response: Http.ServerResponse, status: number, body: object) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

export const uploadServer = (plan: Plan = () => "take"): Effect.Effect<UploadServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const uploads: Array<Upload> = []
    let others = 0
    const server = Http.createServer((request, response) => {
      if (request.url?.startsWith("/auth/") === true) {
        request.resume()
        const generation = request.url === "/auth/generate-tokens" ? 0 : 1
        const data = {
          accessToken: `access-${generation}`,
          refreshToken: `refresh-${generation}`,
          expiresAt: 4102444800000
        }
        json(response, 201, { message: "Done", data: { ...data, vaultId: 1 }, status: 201 })
        return
      }
      const planned = plan(others++)
      const hash = Crypto.createHash("sha256")
      let size = 0
      let text = ""
      let isAnswered = false
      const done = (whole: boolean) => {
        uploads.push({ headers: request.headers, hash: whole ? hash.digest("hex") : "", size, text })
      }
      request.on("error", () => {})
      request.on("data", (chunk: Buffer) => {
        size += chunk.length
        hash.update(chunk)
        if (text.length < 10_000) text += chunk.toString()
        if (planned === "take" || isAnswered || size < planned.expiredAfter) return
        isAnswered = true
        done(false)
        json(response, 498, { status: 498, message: "Token has expired", errors: {}, code: "E01403" })
      })
      request.on("end", () => {
        if (isAnswered) return
        done(true)
        json(response, 201, { message: "Done", data: { id: "m-1" }, status: 201 })
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, uploads }
  })
