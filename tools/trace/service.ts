/**
 * The service that a traced call talks to: a server of `node:http` in a process of its own. It answers in the form of
 * the specification. A request to `/control` says which status the next request of a path gets. Its message is its base address.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const basePath = "/api/integration"

type Fields = Readonly<Record<string, unknown>>

/** The transactions by id, so that a payout is found again. */
const sent = new Map<string, Fields>()
const next = new Map<string, number>()
let issued = 0

const send = (body: Fields): Fields => {
  const id = `t-${sent.size + 1}`
  sent.set(id, { id, status: "COMPLETED", ...body })
  return { id, status: "PENDING", ...body }
}

const tokens = () => ({
  accessToken: `access-token-of-trace-${++issued}-${"x".repeat(16)}`,
  refreshToken: `refresh-token-of-trace-${issued}-${"y".repeat(16)}`,
  expiresAt: Date.now() + 86_400_000,
  vaultId: 1
})

const answerTo = (request: string, body: Fields): [status: number, data: unknown] => {
  const [route = "", id = ""] = request.replace(/\?.*/, "").split(/(?<=GET \/transactions\/)(?=t-)/)
  if (route.startsWith("POST /auth/")) return [201, tokens()]
  switch (route) {
    case "GET /vaults/details":
      return [200, { id: "v-1", name: "Main" }]
    case "POST /transactions/send":
      return [201, send(body)]
    case "GET /transactions/":
      return [200, sent.get(id)]
    case "GET /transactions":
      if (/limit=1\b/.test(request))
        return [200, [{ id: "t-0", status: "COMPLETED", amount: "1.5", clientId: "alice" }]]
      return [200, /page=(?!1\b)/.test(request) ? [] : [...sent.values()].toReversed()]
    default:
      return [404, undefined]
  }
}

const server = createServer(async (request, response) => {
  let text = ""
  for await (const chunk of request) text += chunk
  const body: Fields = text === "" ? {} : JSON.parse(text)
  const path = (request.url ?? "").replace(basePath, "")
  if (path === "/control") {
    for (const [at, status] of Object.entries(body)) next.set(at, Number(status))
    return response.end()
  }
  const failure = next.get(path)
  next.delete(path)
  const [status, data] = failure === undefined ? answerTo(`${request.method} ${path}`, body) : [failure, undefined]
  response.writeHead(status, { "content-type": "application/json" })
  return response.end(JSON.stringify({ message: "as asked", data, status }))
})
// No connection closes while a process sets its breakpoints.
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}${basePath}`)
})
process.on("disconnect", () => process.exit())
