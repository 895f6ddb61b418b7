/** An `HttpClient` without sockets that records its requests and answers by a function. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** A recorded request. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Effect.Effect<string> => {
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(body.body))
    case "Stream":
      return Stream.mkString(Stream.decodeText(body.stream.pipe(Stream.orDie)))
    case "Empty":
      return Effect.succeed("")
    default:
      return Effect.die(`a body of kind ${body._tag} is not expected`)
  }
}

/** An answer in JSON. */
export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Response => {
  const text = JSON.stringify(body)
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)), ...headers }
  })
}

export interface StubHttp {
  readonly sent: ReadonlyArray<Sent>
  readonly layer: Layer.Layer<HttpClient.HttpClient>
}

export const stubHttp = (respond: (sent: Sent, index: number) => Effect.Effect<Response>): StubHttp => {
  const sent: Array<Sent> = []
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const one: Sent = {
        method: request.method,
        url: url.href,
        headers: request.headers,
        body: yield* bodyOf(request)
      }
      const index = sent.push(one) - 1
      return HttpClientResponse.fromWeb(request, yield* respond(one, index))
    })
  )
  return { sent, layer: Layer.succeed(HttpClient.HttpClient, client) }
}
