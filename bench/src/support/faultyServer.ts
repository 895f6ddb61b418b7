/**
 * A server that loses answers: HTTP/1.1 on sockets, with or without TLS, before any service. Its faults are the emulator's,
 * as data, so that they also hit a service that no emulator plays.
 */
import type { Fault } from "@effect-custody/emulator"
import * as Duration from "effect/Duration"
import * as Http from "node:http"
import * as Https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { Certificate } from "../calls/tls.ts"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** What stands behind the faults. */
export interface Service {
  /** Carries a request out. */
  readonly answer: (request: Received) => Answer | Promise<Answer>
  /** Its own body of an error, in JSON. */
  readonly error?: ((status: number) => unknown) | undefined
}

interface Options {
  readonly service: Service
  /** The fault of a request that has arrived whole. */
  readonly faultOf: (request: Received) => Fault.Fault | undefined
  readonly certificate?: Certificate | undefined
}

const json = { "content-type": "application/json" }

const textOf = async (message: Http.IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Sends a request on to a service at an origin. */
export const passOn =
  (origin: string, agent: Http.Agent) =>
  ({ body, headers, method, path }: Received): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { connection: _connection, host: _host, "transfer-encoding": _encoding, ...rest } = headers
      const options = { method, agent, headers: { ...rest, "content-length": Buffer.byteLength(body) } }
      const outgoing = Http.request(`${origin}${path}`, options, (answer) => {
        textOf(answer).then((text) => resolve({ status: answer.statusCode ?? 0, body: text }), reject)
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })

const send = (response: Http.ServerResponse, { body, headers, status }: Answer): void => {
  response.writeHead(status, { ...json, ...headers }).end(body)
}

const play = async (
  { answersAfter, ending, reach }: Pick<Fault.Fault, "answersAfter" | "ending" | "reach">,
  act: () => Answer | Promise<Answer>,
  response: Http.ServerResponse,
  { error, reset }: { readonly error: Service["error"]; readonly reset: () => void }
): Promise<void> => {
  const own = reach === "Acted" ? await act() : undefined
  if (ending._tag === "Silence") return
  if (ending._tag === "Break") return void (ending.code === "ECONNRESET" ? reset() : response.socket?.end())
  if (ending._tag === "Replacement") {
    const { body, headers, status } = ending
    const isJson = headers["content-type"] === "application/json"
    return send(response, { status, headers, body: isJson && error ? JSON.stringify(error(status)) : body })
  }
  if (own === undefined || ending._tag === "Edit") throw new Error(`this server has no ${ending._tag} for ${reach}`)
  if (ending._tag === "Answer") {
    const later = () => send(response, own)
    return void (answersAfter === undefined ? later() : setTimeout(later, Duration.toMillis(answersAfter)))
  }
  response.writeHead(own.status, { ...json, "content-length": Buffer.byteLength(own.body) })
  response.write(own.body.slice(0, ending.bytes), () => response.socket?.destroy())
}

/** Listens on a free port of the loopback. */
export const startFaulty = async ({ certificate, faultOf, service }: Options) => {
  const sockets = new Map<number | undefined, Socket>()
  const onRequest: Http.RequestListener = async (request, response) => {
    try {
      const { headers, method = "GET", url: path = "/" } = request
      const received = { method, path, headers, body: await textOf(request) }
      // Below TLS there is a socket that can be reset.
      const reset = () => sockets.get(request.socket.remotePort)?.resetAndDestroy()
      const fault = faultOf(received) ?? { reach: "Acted", ending: { _tag: "Answer" } }
      await play(fault, () => service.answer(received), response, { error: service.error, reset })
    } catch {
      // A client that goes away in the middle has sent nothing.
      response.destroy()
    }
  }
  const server = certificate === undefined ? Http.createServer(onRequest) : Https.createServer(certificate, onRequest)
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket
    sockets.set(remotePort, socket)
    socket.once("close", () => sockets.delete(remotePort))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets.values()) socket.destroy()
      })
  }
}
