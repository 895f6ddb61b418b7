/**
 * A plain `node:http` server, with promises and without Effect, that pays out through the SDK.
 *
 * Configuration: what `NodeCustody.layerConfig()` takes, `PAYOUTS_FILE` and `PORT`.
 */
/* oxlint-disable effecttsgo/async-function, effecttsgo/process-env -- there is no Effect in this file, on purpose. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Custody from "./custody.ts"

const statuses = { done: 201, refused: 422, "not-now": 503, unknown: 202 } as const

const answer = (response: ServerResponse, status: number, body: object): void => {
  // A client that kept its connection would keep the whole program from stopping.
  if (!server.listening) response.setHeader("connection", "close")
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const isText = (u: unknown): u is string => typeof u === "string" && u !== ""

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === "GET" && request.url === "/vault") {
    const closed = new AbortController()
    response.once("close", () => closed.abort())
    const vault = await Custody.vaultName(closed.signal)
    return answer(response, vault.kind === "done" ? 200 : statuses[vault.kind], vault)
  }
  if (request.method === "POST" && request.url === "/payouts") {
    const body = await bodyOf(request).catch(() => undefined)
    const { amount, assetId, clientId, reference, to } = Object(body) as Record<string, unknown>
    if (!isText(amount) || !isText(assetId) || !isText(clientId) || !isText(reference) || !isText(to)) {
      return answer(response, 400, { message: "amount, assetId, clientId, reference and to are wanted, as strings" })
    }
    const paid = await Custody.payOut({ amount, assetId, clientId, reference, to })
    return answer(response, statuses[paid.kind], paid)
  }
  return answer(response, 404, { message: "There are GET /vault and POST /payouts" })
}

await Custody.ready()

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    if (response.destroyed) return // nobody waits for it any more
    console.error(error)
    answer(response, 500, { message: "Internal error" })
  })
})

server.listen(Number(process.env["PORT"] ?? 3000), () => {
  const address = server.address()
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`)
})

// In this order: no more requests, those under way to their end, then the session.
process.once("SIGTERM", () => server.close(() => void Custody.dispose()))
process.once("SIGINT", () => server.close(() => void Custody.dispose()))
