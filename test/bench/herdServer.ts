/** A service whose tokens expire when it is told so: a process of its own, as cheap as it can be. */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** A refresh is answered when so many calls were refused, and all of them wait for it; or after a while, in milliseconds. */
const calls = Number(process.argv[2])
const longest = 60_000

let generation = 0
const received = { refreshes: 0, accepted: 0, expired: 0 }

let answerRefresh = () => {}

let isTold = false
const allWait = () => {
  if (!isTold) process.send?.({ allWait: received.expired })
  isTold = true
}

const tokens = () => ({
  message: "Tokens",
  data: {
    accessToken: `access-${generation}`,
    refreshToken: `refresh-${generation}`,
    expiresAt: Date.now() + 86_400_000,
    vaultId: 1
  },
  status: 201
})
const details = { message: "Vault details", data: { id: "42", name: "Treasury" }, status: 200 }
const expired = { message: "Token expired", errors: { message: "Token expired" }, code: "E01403", status: 498 }

const server = Http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const reply = ({ status, ...rest }: { readonly status: number }) => {
    const body = JSON.stringify({ ...rest, status })
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  }
  request.resume()
  if (request.url?.endsWith("/auth/generate-tokens") === true) return reply(tokens())
  if (request.url?.endsWith("/auth/refresh-token") === true) {
    received.refreshes++
    generation++
    answerRefresh = () => reply(tokens())
    return void setTimeout(allWait, longest)
  }
  if (request.headers["x-access-token"] === `access-${generation}`) {
    received.accepted++
    return reply(details)
  }
  reply(expired)
  if (++received.expired === calls) allWait()
})
server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, () => {
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on("message", (message) => {
  if (message === "expire") generation += 1_000
  if (message === "answer") answerRefresh()
  process.send?.({ received })
})
process.on("disconnect", () => process.exit())
