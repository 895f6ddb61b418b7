/**
 * Each hostile answer to a process with a heap of 256 MB: it ends with a result or a typed error, and takes no more than
 * 250 MB beside what the loaded program has.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Net from "node:net"
import { answers, type Bytes } from "./answers.ts"

const granted = JSON.stringify({
  message: "ok",
  data: { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4_102_444_800_000, vaultId: 42 },
  status: 201
})
const grant = `HTTP/1.1 201 X\r\ncontent-type: application/json\r\ncontent-length: ${granted.length}\r\n\r\n${granted}`

const send = (socket: Net.Socket, { body, head, isEndless }: Bytes) => {
  const bytes = body()
  socket.write(head)
  if (isEndless !== true) return void socket.write(bytes)
  const more = () => {
    while (!socket.destroyed && socket.write(bytes)) continue
  }
  socket.on("drain", more)
  more()
}

/** A server whose calls, or whose endpoints of authentication, answer with these bytes: its port. */
const serve = (bytes: Bytes, isAuthentication: boolean) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Net.Socket>()
      const server = Net.createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("data", (received) => {
          const text = received.toString("latin1")
          if (!/^(?:GET|POST) /.test(text)) return
          if (text.includes("/auth/") && !isAuthentication) socket.write(grant)
          else send(socket, bytes)
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, sockets, port: (server.address() as Net.AddressInfo).port }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )

const callIn = async (transport: string, name: string, port: number) => {
  const file = new URL("child.ts", import.meta.url).pathname
  const options = ["--max-old-space-size=256", "--expose-gc"]
  const child = spawn(process.execPath, [...options, file, transport, name, `${port}`], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let output = ""
  child.stdout.on("data", (text) => (output += text))
  const [code] = await once(child, "close")
  assert.strictEqual(code, 0)
  return JSON.parse(output.trim().split("\n").at(-1)!) as { readonly ended: string; readonly megabytes: number }
}

describe.skipIf(process.platform !== "linux").concurrent("a call with a hostile answer", () => {
  const all = Object.keys(answers)
  // The cost of JSON is the same over every transport.
  const ofBytes = all.filter((name) => /without an end|terabyte|gzip|chunks/.test(name))
  const cases = [
    ...all.map((name) => ({ name, what: "a call", transport: "undici" })),
    ...ofBytes.map((name) => ({ name, what: "a call", transport: "fetch" })),
    ...ofBytes.map((name) => ({ name, what: "the start of a session", transport: "undici" }))
  ]
  it.live.each(cases)(
    '$what over $transport with the answer "$name" ends within 250 MB, with a result or a typed error',
    ({ name, transport, what }) =>
      Effect.gen(function* () {
        const { port } = yield* serve(answers[name]!, what !== "a call")
        const { ended, megabytes } = yield* Effect.promise(() => callIn(transport, name, port))
        assert.notMatch(ended, /^untyped/)
        assert.isBelow(megabytes, 250)
      })
  )
})
