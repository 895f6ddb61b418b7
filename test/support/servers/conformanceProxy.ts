/** A `node:http` proxy before a service, with a planted deviation. */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

export interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Response {
  readonly status: number
  readonly body: string
}

export interface PlantedDeviation {
  readonly request?: (request: Request) => Request
  readonly response?: (response: Response, request: Request) => Response
}

/** Requires "Bearer " before the access token, and removes it for the service. */
export const bearerRequired = (): PlantedDeviation => ({
  request: (request) => {
    const { "x-access-token": token = "", ...headers } = request.headers
    const raw = /^Bearer (.+)$/.exec(token)?.[1]
    return { ...request, headers: raw === undefined ? headers : { ...headers, "x-access-token": raw } }
  }
})

/** Answers 200 in place of 201. */
export const okForCreated = (): PlantedDeviation => ({
  response: (response) =>
    response.status === 201
      ? { status: 200, body: JSON.stringify({ ...JSON.parse(response.body), status: 200 }) }
      : response
})

/** Headers of one connection, which a proxy does not pass on. */
const hopByHop = new Set(["host", "connection", "content-length", "transfer-encoding"])

/** Starts a proxy before the service at a base address. */
export const start = async (
  target: string,
  { request: changed = (request) => request, response: answered = (response) => response }: PlantedDeviation
): Promise<{ readonly baseUrl: string; readonly close: () => void }> => {
  const { origin, pathname } = new URL(target)
  const server = Http.createServer(async (incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const kept = Object.entries(incoming.headers).filter(([name]) => !hopByHop.has(name))
    const request = changed({
      path: incoming.url ?? "/",
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString("utf8")
    })
    const response = await fetch(`${origin}${request.path}`, {
      method: incoming.method ?? "GET",
      headers: request.headers,
      ...(request.body === "" ? {} : { body: request.body })
    })
    const { body, status } = answered({ status: response.status, body: await response.text() }, request)
    outgoing.writeHead(status, { "content-type": "application/json" }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
