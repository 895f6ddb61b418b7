/** The service, as cheap as it can be: the same answers to everybody. A process of its own; says where it listens. */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { basePath, jobs, session } from "./jobs.ts"

const answers = new Map<string, { readonly status: number; readonly body: string }>(
  Object.values(jobs).map(({ answer, method, path, status }) => [
    `${method} ${basePath}${path}`,
    { status, body: answer }
  ])
)
answers.set(`POST ${basePath}/auth/generate-tokens`, { status: 201, body: session() })

const server = Http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = answers.get(`${request.method} ${request.url}`)
  const status = answer?.status ?? 400
  const body =
    answer?.body ?? `{"status":400,"message":"no such job: ${request.method} ${request.url}","code":"E40000"}`
  const reply = () => {
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  }
  if (request.method === "GET") reply()
  else request.resume().on("end", reply)
})
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on("disconnect", () => process.exit())
