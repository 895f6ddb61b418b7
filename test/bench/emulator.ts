/**
 * How fast the emulator is: how long it takes to start, in process and as a process of its own, and how many requests a
 * second it answers over the loopback with the demo's load, 200 calls at once of `GET /vaults/details`, by plain sockets
 * and by the SDK. Beside it, what a bare `node:http` server answers that always says the same.
 *
 * `node test/bench/emulator.ts [--seconds N] [--json]`
 */
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Net from "node:net"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, json: { type: "boolean", default: false } }
})
const seconds = Number(values.seconds)
const concurrency = 200
const targets = { start: 10, process: 500, requests: 5_000 }

const bin = Path.resolve(import.meta.dirname, "../../packages/emulator/bin/custody-emulator.mjs")

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await act()
  return performance.now() - from
}

/** The first start in this process, what it loads included, and the median of those after it. */
const inProcess = async () => {
  const start = async () => {
    const { CustodyEmulator } = await import("@effect-custody/emulator")
    await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(CustodyEmulator.layerWith({})))))
  }
  const first = await timed(start)
  const later: Array<number> = []
  for (let n = 0; n < 30; n++) later.push(await timed(start))
  return { first, later: median(later), worst: Math.max(...later) }
}

interface Served {
  readonly child: ChildProcess
  readonly words: ReadonlyArray<string>
}

/** A process, and the last words of its first lines. */
const startProcess = async (args: ReadonlyArray<string>, lines: number): Promise<Served> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const words: Array<string> = []
  for await (const line of createInterface(child.stdout)) {
    words.push(line.split(" ").at(-1)!)
    if (words.length === lines) break
  }
  return { child, words }
}

const stop = async ({ child }: Served): Promise<void> => {
  const closed = once(child, "close")
  child.kill("SIGTERM")
  await closed
}

const startEmulator = () => startProcess([bin, "--quiet", "--token-lifetime", "1 hour"], 2)

/** Until the server of a new process has answered. */
const serverProcess = async (): Promise<number> => {
  const times: Array<number> = []
  for (let n = 0; n < 5; n++) {
    let served: Served | undefined
    times.push(
      await timed(async () => {
        served = await startEmulator()
        await fetch(`${served.words[0]}/vaults/details`)
      })
    )
    await stop(served!)
  }
  return median(times)
}

/** How many answers a second come to requests on plain sockets, each of which waits for its answer. */
const rawRate = async (url: URL, token: string): Promise<number> => {
  const request = `GET ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nx-access-token: ${token}\r\n\r\n`
  let answered = 0
  let open = true
  const sockets = Array.from({ length: concurrency }, () => {
    const socket = Net.connect(Number(url.port), url.hostname)
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      const end = text.indexOf("\r\n\r\n")
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      if (end === -1 || length === undefined || text.length < end + 4 + Number(length)) return
      if (!text.startsWith("HTTP/1.1 200")) throw new Error(text)
      text = ""
      answered++
      if (open) socket.write(request)
    })
    socket.on("connect", () => socket.write(request))
    return socket
  })
  const over = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  // The first second is for both sides to warm up.
  await over(1_000)
  const [before, from] = [answered, performance.now()]
  await over(seconds * 1_000)
  const rate = ((answered - before) / (performance.now() - from)) * 1_000
  open = false
  for (const socket of sockets) socket.destroy()
  return rate
}

/** How many calls of the SDK succeed in a second. */
const sdkRate = (baseUrl: string, apiKey: string): Promise<number> => {
  const client = Custody.layer({ environment: Environment.local(baseUrl), apiKey: Redacted.make(apiKey) }).pipe(
    Layer.provide([NodeCustody.layerHttpClient(), Layer.fresh(TokenStore.layerMemory)])
  )
  const wave = Effect.all(
    Array.from({ length: concurrency }, () => Vaults.details()),
    { concurrency: "unbounded", discard: true }
  )
  const rate = Effect.gen(function* () {
    for (let n = 0; n < 10; n++) yield* wave
    const from = performance.now()
    let calls = 0
    while (performance.now() - from < seconds * 1_000) {
      yield* wave
      calls += concurrency
    }
    return (calls / (performance.now() - from)) * 1_000
  })
  return Effect.runPromise(Effect.provide(rate, client))
}

const bareServer = `
const body = '{"message":"Vault details","data":{"id":"1","name":"Vault 1","type":"SEGREGATED"},"status":200}'
const server = require("node:http").createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
})
server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

const rates = async () => {
  const bare = await startProcess(["-e", bareServer], 1)
  const bareRate = await rawRate(new URL(`${bare.words[0]}/vaults/details`), "none")
  await stop(bare)
  const emulator = await startEmulator()
  const [baseUrl = "", apiKey = ""] = emulator.words
  const origin = new URL(baseUrl).origin
  const post = async (url: string, body: object) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
    return (await response.json()) as { readonly apiKey: string; readonly data: { readonly accessToken: string } }
  }
  const { data } = await post(`${baseUrl}/auth/generate-tokens`, { apiKey })
  const raw = await rawRate(new URL(`${baseUrl}/vaults/details`), data.accessToken)
  const another = await post(`${origin}/emulator/api-keys`, {})
  const sdk = await sdkRate(baseUrl, another.apiKey)
  await stop(emulator)
  return { bare: bareRate, raw, sdk }
}

const started = await inProcess()
const inOwnProcess = await serverProcess()
const perSecond = await rates()

const ms = (milliseconds: number): string => `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`
const rate = (number: number): string => `${Math.round(number).toLocaleString("en")}/s`
const ratio = (number: number): string => `${(number / perSecond.bare).toFixed(2)} of bare`
const met = (holds: boolean, target: string): string => `${target}: ${holds ? "met" : "NOT MET"}`

const rows: ReadonlyArray<readonly [what: string, measured: string, compared: string, target: string]> = [
  ["start in process, the first", ms(started.first), "with its modules", ""],
  [
    "start in process, later ones",
    ms(started.later),
    `at worst ${ms(started.worst)}`,
    met(started.later <= targets.start, "≤ 10 ms")
  ],
  [
    "server process, until it answers",
    ms(inOwnProcess),
    `${(inOwnProcess / started.first).toFixed(2)} of the first in process`,
    met(inOwnProcess <= targets.process, "≤ 500 ms")
  ],
  ["bare node:http, plain sockets", rate(perSecond.bare), ratio(perSecond.bare), ""],
  [
    "emulator, plain sockets",
    rate(perSecond.raw),
    ratio(perSecond.raw),
    met(perSecond.raw >= targets.requests, "≥ 5,000/s")
  ],
  [
    "emulator, 200 calls of the SDK at once",
    rate(perSecond.sdk),
    ratio(perSecond.sdk),
    met(perSecond.sdk >= targets.requests, "≥ 5,000/s")
  ]
]

const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
const table = rows.map((row) =>
  row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd()
)

Effect.runSync(
  Console.log(
    values.json
      ? JSON.stringify({ targets, start: started, process: inOwnProcess, perSecond })
      : ["", ...table, ""].join("\n")
  )
)
