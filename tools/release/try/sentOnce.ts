/** Whether a runtime's `fetch` repeats a payment by itself: a program that pays, and a service that counts. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { must, run } from "./run.ts"

const pair = { accessToken: "an-access-token-of-a-test", refreshToken: "a-refresh-token-of-a-test" }

/** Answers to the session and to reads; of payments it counts how often each arrives, by its note. */
const service = (paid: Map<string, number>) =>
  createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      const answer = (status: number, data: object) => {
        response.writeHead(status, { "content-type": "application/json" })
        response.end(JSON.stringify({ message: "ok", status, data }))
      }
      if (request.url?.includes("/auth/") === true) return answer(201, pair)
      if (request.method === "GET") return answer(200, { id: "1", name: "Vault 1" })
      const note = String(JSON.parse(body).note)
      paid.set(note, (paid.get(note) ?? 0) + 1)
      return note === "hang up" ? request.socket.destroy() : answer(421, {})
    })
  })

/** Runs the program that pays; fails if a payment has not arrived exactly once. */
export const sentOnce = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const paid = new Map<string, number>()
  const server = service(paid)
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
  const url = `http://127.0.0.1:${port}/api/integration`
  const ran = run(command, [...args, "once.ts"], { cwd, env: { CUSTODY_BASE_URL: url }, timeoutSeconds: 60 })
  await must(ran).finally(() => {
    server.close()
    server.closeAllConnections()
  })
  const counts = JSON.stringify(Object.fromEntries(paid))
  if (counts !== JSON.stringify({ misdirected: 1, "hang up": 1 })) throw new Error(`arrived: ${counts}`)
}
