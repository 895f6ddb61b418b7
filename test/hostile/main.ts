/**
 * `pnpm hostile`: every hostile answer and input, each in a process with a heap of 256 MB. Prints how each ends, its time on
 * a CPU and the memory that it added, and ends with 1 if one does not end with a result or a typed error, or takes more
 * than 250 MB. Times depend on the machine and decide nothing.
 *
 * `--part 2/4` tries every fourth row, from the second; `--only TEXT` those whose name has the text.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Net from "node:net"
import { parseArgs } from "node:util"
import { answers, type Bytes } from "./answers.ts"
import { inputs } from "./inputs.ts"
import { chosen } from "../support/parts.ts"

const { values: options } = parseArgs({
  options: { only: { type: "string", default: "" }, part: { type: "string", default: "1/1" } }
})
const isChosen = chosen(options)

const granted = JSON.stringify({
  message: "ok",
  data: { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4_102_444_800_000, vaultId: 42 },
  status: 201
})

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

/** A server whose calls, or whose endpoints of authentication, answer with these bytes. */
const serve = async (bytes: Bytes, isAuthentication: boolean) => {
  const sockets = new Set<Net.Socket>()
  const server = Net.createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("data", (received) => {
      const text = received.toString("latin1")
      if (!/^(?:GET|POST) /.test(text)) return
      if (text.includes("/auth/") && !isAuthentication) {
        socket.write(
          `HTTP/1.1 201 X\r\ncontent-type: application/json\r\ncontent-length: ${granted.length}\r\n\r\n${granted}`
        )
      } else send(socket, bytes)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as Net.AddressInfo).port, close }
}

interface Row {
  readonly ended: string
  readonly millis: number
  readonly megabytes: number
}

const child = (...args: ReadonlyArray<string>) => {
  const file = new URL("child.ts", import.meta.url).pathname
  const process_ = spawn(process.execPath, ["--max-old-space-size=256", "--expose-gc", file, ...args], {
    stdio: ["pipe", "pipe", "pipe"]
  })
  let errors = ""
  process_.stderr.on("data", (text) => (errors = `${errors}${text}`.slice(-2_000)))
  let output = ""
  process_.stdout.on("data", (text) => (output += text))
  const row = async (): Promise<Row> => {
    const [code, signal] = await once(process_, "close")
    const line = output.trim().split("\n").at(-1) ?? ""
    if (code === 0 && line.startsWith("{")) return JSON.parse(line) as Row
    const out = /heap out of memory/.test(errors) ? ", out of memory" : ""
    return { ended: `untyped: the process ended with ${code ?? signal}${out}`, millis: NaN, megabytes: NaN }
  }
  return { row, process: process_ }
}

const statusLine = "HTTP/1.1 "

/** Many requests with long paths for an emulator, which remembers what it receives. */
const flood = async (count: number): Promise<Row> => {
  const { process: emulator, row } = child("emulator")
  const ended = row()
  const [first] = (await once(emulator.stdout, "data")) as [Buffer]
  const { host, port } = new URL(String(first).trim())
  const request = (nth: number) => `GET /api/integration/${"x".repeat(12_000)}${nth} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
  /** Sends so many requests over one connection, and gives how many were answered. */
  const batch = (size: number) =>
    new Promise<number>((resolve) => {
      let answered = 0
      let rest = ""
      const socket = Net.connect(Number(port), "127.0.0.1")
      socket.on("error", () => {})
      socket.on("close", () => resolve(answered))
      socket.on("data", (bytes) => {
        const [before, ...heads] = `${rest}${bytes.toString("latin1")}`.split(statusLine)
        answered += heads.length
        // The beginning of an answer may have arrived alone.
        rest = (heads.at(-1) ?? before ?? "").slice(1 - statusLine.length)
        if (answered >= size) socket.destroy()
      })
      socket.write(Array.from({ length: size }, (_, nth) => request(nth)).join(""))
    })
  for (let answered = 0; answered < count && emulator.exitCode === null;) answered += await batch(100)
  if (emulator.exitCode === null) emulator.stdin.write("enough\n")
  return ended
}

const answered = async (transport: string, name: string, isAuthentication: boolean) => {
  const { close, port } = await serve(answers[name]!, isAuthentication)
  const row = await child(transport, name, String(port)).row()
  close()
  return row
}

const table: ReadonlyArray<readonly [what: string, name: string, run: () => Promise<Row>]> = [
  ...Object.keys(answers).flatMap((name) => [
    ["answer", name, () => answered("undici", name, false)] as const,
    ["over fetch", name, () => answered("fetch", name, false)] as const
  ]),
  ...Object.keys(answers).map((name) => ["to a key", name, () => answered("undici", name, true)] as const),
  ...Object.keys(inputs).map((name) => ["input", name, () => child("input", name).row()] as const),
  ["emulator", "70,000 requests with paths of 12,000 characters", () => flood(70_000)]
]

const rows = table.filter(([what, name], at) => isChosen(`${what} ${name}`, at))
if (rows.length === 0) throw new Error("no row is chosen")

/** The most memory that a row may add, in MB. */
const mostMegabytes = 250

const ends: Array<Row & { readonly name: string }> = []
console.log(`${"".padEnd(11)}${"".padEnd(52)}${"ends".padEnd(26)}${"CPU ms".padStart(7)}${"MB".padStart(6)}`)
for (const [what, name, run] of rows) {
  const row = await run()
  ends.push({ ...row, name: `${what} ${name}` })
  console.log(
    `${what.padEnd(11)}${name.padEnd(52)}${row.ended.padEnd(26)}${String(row.millis).padStart(7)}${String(row.megabytes).padStart(6)}`
  )
}

const slow = ends.filter(({ millis }) => millis > 1_000)
const untyped = ends.filter(({ ended }) => ended.startsWith("untyped"))
const large = ends.filter(({ megabytes }) => megabytes > mostMegabytes)
const named = (some: typeof ends): string => some.map(({ name }) => name).join("; ")
console.log(
  [
    "",
    `rows        ${rows.length} of ${table.length}`,
    `CPU         ${(ends.reduce((sum, { millis }) => sum + (millis || 0), 0) / 60_000).toFixed(1)} minutes; more than a second: ${slow.length === 0 ? "none" : named(slow)}`,
    untyped.length > 0
      ? `FAILED: ${untyped.length} did not end typed: ${named(untyped)}.`
      : large.length > 0
        ? `FAILED: more than ${mostMegabytes} MB: ${named(large)}.`
        : `Passed: each ended with a result or a typed error, within ${mostMegabytes} MB.`
  ].join("\n")
)
process.exitCode = untyped.length + large.length === 0 ? 0 : 1
