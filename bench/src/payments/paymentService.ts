/** What the benchmark of payments pays to: the emulator on a socket, behind a proxy that makes trouble. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { ledgerFixture } from "../../../test/support/worlds/ledgerFixture.ts"
import { random } from "../../../test/support/random.ts"
import { findMark } from "../../../test/support/worlds/writes.ts"

/** What happens to a request; each payment has its own series, the same for every client. */
const weights = {
  none: 70,
  resetBeforeRead: 5,
  resetAfterRead: 5,
  halfAnswer: 4,
  silence: 4,
  errorBefore: 4,
  errorAfter: 4,
  throttled: 2,
  expired: 2
}
type Fault = keyof typeof weights

export interface PaymentService {
  /** The base address of the API, by way of the proxy. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** How often each payment was made, by its note: what the emulator's ledger says. */
  readonly paid: () => Promise<ReadonlyMap<string, number>>
  /** How many requests to pay came. */
  readonly requests: () => number
  readonly close: () => Promise<void>
}

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly body: Buffer
}

const bytesOf = async (message: Http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Sends a request on to the emulator. */
const passOn =
  (origin: string, agent: Http.Agent) =>
  ({ body, headers, method, path }: Received): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { connection: _connection, host: _host, "transfer-encoding": _encoding, ...rest } = headers
      const options = { method, agent, headers: { ...rest, "content-length": body.byteLength } }
      const outgoing = Http.request(`${origin}${path}`, options, (answer) => {
        bytesOf(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject)
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })

const json = { "content-type": "application/json" }

const answer = (response: Http.ServerResponse, { body, status }: Answer): void => {
  response.writeHead(status, json).end(body)
}

const refuse = (
  response: Http.ServerResponse,
  status: number,
  options: { readonly code?: string; readonly headers?: Http.OutgoingHttpHeaders } = {}
): void => {
  const { code, headers } = options
  response.writeHead(status, { ...json, ...headers })
  response.end(JSON.stringify({ status, message: "No", errors: { message: "No" }, ...(code && { code }) }))
}

/** Plays a fault. `pay` has the emulator carry the payment out. */
const play = async (fault: Fault, response: Http.ServerResponse, pay: () => Promise<Answer>): Promise<void> => {
  switch (fault) {
    case "none":
      return answer(response, await pay())
    case "resetBeforeRead":
      return void response.socket?.resetAndDestroy()
    case "resetAfterRead":
      await pay()
      return void response.socket?.resetAndDestroy()
    case "halfAnswer": {
      const { body, status } = await pay()
      response.writeHead(status, { ...json, "content-length": body.byteLength })
      response.write(body.subarray(0, 20), () => response.socket?.destroy())
      return
    }
    case "silence":
      await pay()
      return
    case "errorBefore":
      return refuse(response, 503)
    case "errorAfter":
      await pay()
      return refuse(response, 502)
    case "throttled":
      return refuse(response, 429, { headers: { "retry-after": "0" } })
    case "expired":
      return refuse(response, 498, { code: "E40003" })
  }
}

export const makePaymentService = async (seed: number): Promise<PaymentService> => {
  const { apiKey, snapshot } = await Effect.runPromise(ledgerFixture)
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(CustodyEmulator.layerServer({ snapshot }), scope))
  const emulator = Context.get(context, CustodyEmulator)
  const known = (await Effect.runPromise(emulator.ledger)).length
  const behind = new URL(emulator.baseUrl)
  const agent = new Http.Agent({ keepAlive: true })
  const pass = passOn(behind.origin, agent)
  const series = new Map<string, () => Fault>()
  let requests = 0

  const faultOf = (mark: string): Fault => {
    const known = series.get(mark)
    if (known !== undefined) return known()
    const dice = random(seed * 1_000_003 + Number(mark.slice(mark.indexOf("-") + 1)))
    const next = () => dice.weighted(weights)
    series.set(mark, next)
    return next()
  }

  const handle = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const { headers, method = "GET", url: path = "/" } = request
    const received = { method, path, headers, body: await bytesOf(request) }
    if (path.includes("/auth/")) return answer(response, await pass(received))
    requests++
    await play(faultOf(findMark(received.body.toString())!), response, () => pass(received))
  }

  const server = Http.createServer((request, response) => {
    // A client that goes away in the middle has sent nothing.
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${behind.pathname}`,
    apiKey,
    paid: async () => {
      const paid = new Map<string, number>()
      for (const { marker = "" } of await Effect.runPromise(emulator.ledgerAfter(known))) {
        paid.set(marker, (paid.get(marker) ?? 0) + 1)
      }
      return paid
    },
    requests: () => requests,
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
