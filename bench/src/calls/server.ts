/**
 * The service, as cheap as it can be: the same answers to everybody. A process of its own; says where it listens. Its
 * argument is a {@link Service}.
 */
import * as Http from "node:http"
import * as Http2 from "node:http2"
import * as Https from "node:https"
import type { AddressInfo } from "node:net"
import { readCertificate, type Service } from "./tls.ts"
import { basePath, jobs, session } from "./jobs.ts"

const answers = new Map<string, { readonly status: number; readonly body: string }>(
  Object.values(jobs).map(({ answer, method, path, status }) => [
    `${method} ${basePath}${path}`,
    { status, body: answer }
  ])
)
answers.set(`POST ${basePath}/auth/generate-tokens`, { status: 201, body: session() })

const onRequest: Http.RequestListener = (request, response) => {
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
}

const service = (process.argv[2] ?? "http") as Service
const keepAlive = { keepAliveTimeout: 60_000 }
const makeServer = {
  http: () => Http.createServer(keepAlive, onRequest),
  https: () => Https.createServer({ ...readCertificate()!, ...keepAlive }, onRequest),
  // A request and an answer of HTTP/2 have the members of those of HTTP/1.1 that are used here.
  h2: () =>
    Http2.createSecureServer(
      { ...readCertificate()!, allowHTTP1: true, settings: { maxConcurrentStreams: 1_000 } },
      onRequest as unknown as Parameters<typeof Http2.createSecureServer>[1]
    )
}
const server = makeServer[service]()
server.listen(0, "127.0.0.1", () => {
  process.send?.(`${service === "http" ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on("disconnect", () => process.exit())
