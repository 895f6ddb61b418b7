/**
 * What many of something cost: calls in flight, calls that wait, tenants that do nothing, rows of a stream.
 *
 * `node src/scale/main.ts [--rounds N] [--only waiting,tenants,rows,inFlight,connections]`. `pnpm bench rotation` says what a rotation costs.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { NodeCustody } from "@effect-custody/node"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { baseline, ours } from "../calls/contenders.ts"
import { basePath, jobs, session } from "../calls/jobs.ts"
import { measure } from "../calls/rounds.ts"
import { undisturbed } from "../support/statistics.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "11" }, only: { type: "string" } } })

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The bytes in use after garbage collection. */
const used = async (): Promise<number> => {
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

/** What a read costs us and the baseline, and the one as a multiple of the other. */
const compared = async (plan: { readonly inFlight: number; readonly connections?: number }) => {
  const share = Math.max(1, plan.inFlight / jobs.read.calls)
  const names = [ours, baseline]
  const measured = await measure({ ...plan, names, jobs: ["read"], rounds: Number(values.rounds), share })
  const [own = 0, base = 1] = measured.map(({ cpu }) => undisturbed(cpu))
  return { own, ratio: own / base }
}

/** With few calls in flight each wakes the event loop by itself, whoever makes it: so the multiples are compared. */
const flat = (what: string, ratios: ReadonlyArray<number>): void =>
  verdict(
    `${what}, the multiple of ${baseline}: the largest over the least`,
    Math.max(...ratios) / Math.min(...ratios),
    1.3,
    "times"
  )

/** A call costs the same however many are in flight. */
const inFlight = async (): Promise<void> => {
  console.log(`\n| calls in flight | µs per call | times ${baseline} |\n| ---: | ---: | ---: |`)
  const ratios: Array<number> = []
  for (const count of [1, 10, 100, 1_000, 10_000]) {
    const { own, ratio } = await compared({ inFlight: count })
    ratios.push(ratio)
    console.log(`| ${count} | ${own.toFixed(0)} | ${ratio.toFixed(2)} |`)
  }
  flat("calls in flight", ratios)
}

/** And over however many connections. */
const connections = async (): Promise<void> => {
  console.log(`\n| connections | µs per call | times ${baseline} |\n| ---: | ---: | ---: |`)
  const ratios: Array<number> = []
  for (const count of [1, 2, 4, 8, 16]) {
    const { own, ratio } = await compared({ inFlight: 32, connections: count })
    ratios.push(ratio)
    console.log(`| ${count} | ${own.toFixed(0)} | ${ratio.toFixed(2)} |`)
  }
  flat("connections", ratios)
}

const verdict = (what: string, value: number, bar: number, unit: string): void => {
  const isMissed = value > bar
  console.log(`${what}: ${value.toFixed(2)} ${unit} (bar ${bar})${isMissed ? " — missed" : ""}`)
  if (isMissed) process.exitCode = 1
}

const environmentOf = (origin: string) => Environment.local(`${origin}${basePath}`)

/** What a call holds while it waits for its answer, or for a connection. */
const waiting = async (): Promise<void> => {
  // Tokens are given, and no call is ever answered.
  const server = Http.createServer((request, response) => {
    request.resume()
    if (request.method === "POST") response.writeHead(201, { "content-type": "application/json" }).end(session())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const environment = environmentOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const calls = 10_000
  const program = Effect.gen(function* () {
    // The session starts, and everything is compiled.
    yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 500 }, () => Vaults.details()),
        { concurrency: 500 }
      )
    )
    yield* Effect.sleep("1 second")
    const before = yield* Effect.promise(used)
    const fibers = Array.from({ length: calls }, () => Vaults.details())
    const all = yield* Effect.forkChild(Effect.all(fibers, { concurrency: "unbounded", discard: true }))
    yield* Effect.sleep("1 second")
    const after = yield* Effect.promise(used)
    yield* Fiber.interrupt(all)
    return (after - before) / calls
  })
  const layer = Custody.layer({ environment, apiKey: Redacted.make("key") }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )
  const bytes = await Effect.runPromise(program.pipe(Effect.provide(layer), Effect.scoped))
  server.closeAllConnections()
  server.close()
  verdict(`a call that waits, of ${calls}, with its fiber`, bytes / 1_000, 4, "kB")
}

/** An `HttpClient` that answers with a function of the request, without sockets. */
const answering = (answer: (method: string, url: URL) => string) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.succeed(
        HttpClientResponse.fromWeb(
          request,
          new Response(answer(request.method, url), { headers: { "content-type": "application/json" } })
        )
      )
    )
  )

/**
 * What a tenant holds that has made a call and makes no other: while its client is kept, and when it is released. A
 * released tenant goes on with its stored session.
 */
const tenants = async (): Promise<void> => {
  const count = 10_000
  const vault = jobs.read.answer
  let started = 0
  const http = answering((method) => {
    if (method !== "POST") return vault
    started++
    return session()
  })
  const held = (idleTimeToLive: Duration.Input, isReleased: boolean) =>
    Effect.gen(function* () {
      const clients = yield* Custody.makeLayerMap(
        () => ({ environment: environmentOf("http://127.0.0.1:1"), apiKey: Redacted.make("key") }),
        { idleTimeToLive }
      )
      const untilReleased = RcMap.keys(clients.rcMap).pipe(
        Effect.repeat({ until: (keys) => Array.from(keys).length === 0, schedule: Schedule.spaced("1 second") }),
        // The last of them are being closed.
        Effect.andThen(Effect.sleep("1 second"))
      )
      const use = (from: number, to: number) =>
        Effect.forEach(
          Array.from({ length: to - from }, (_, at) => `tenant-${from + at}`),
          (name) => Effect.provide(Vaults.details(), clients.get(name)),
          { concurrency: 16, discard: true }
        ).pipe(Effect.andThen(isReleased ? untilReleased : Effect.void))
      yield* use(0, 500)
      yield* use(0, 500)
      const before = yield* Effect.promise(used)
      yield* use(500, 500 + count)
      const after = yield* Effect.promise(used)
      const startedBefore = started
      yield* use(500, 500 + count)
      return { kilobytes: (after - before) / count / 1_000, startedAgain: started - startedBefore }
    }).pipe(Effect.provide([TokenStore.layerMemory, http]), Effect.scoped, Effect.runPromise)

  const kept = await held("1 hour", false)
  console.log(`an idle tenant, of ${count}, while its client is kept: ${kept.kilobytes.toFixed(2)} kB`)
  const released = await held("1 second", true)
  verdict(`an idle tenant, of ${count}, released, with its stored session`, released.kilobytes, 5, "kB")
  verdict("released tenants that had to start anew", released.startedAgain, 0, "tenants")
}

/** A stream holds a page or two, however many rows it has given. */
const rows = async (): Promise<void> => {
  const limit = 1_000
  const pages = 1_000
  const http = answering((method, url) => {
    if (method === "POST") return session()
    const page = Number(url.searchParams.get("page") ?? "1")
    const data = Array.from({ length: page > pages ? 0 : limit }, (_, at) => ({
      id: `t-${page}-${at}`,
      status: "COMPLETED",
      amount: `${at}.25`
    }))
    return JSON.stringify({ message: "ok", data, status: 200 })
  })
  const held: Array<number> = []
  let given = 0
  const program = Transactions.stream({ limit }).pipe(
    Stream.runForEach(() => {
      given++
      return given % 100_000 === 0 ? Effect.map(Effect.promise(used), (bytes) => held.push(bytes)) : Effect.void
    })
  )
  const layer = Custody.layer({ environment: environmentOf("http://127.0.0.1:1"), apiKey: Redacted.make("key") }).pipe(
    Layer.provide([TokenStore.layerMemory, http])
  )
  await Effect.runPromise(Effect.provide(program, layer))
  const [first = 1, last = 0] = [held[0], held.at(-1)]
  verdict(`the memory of a stream after ${given} rows, over that after ${given / 10}`, last / first, 1.1, "times")
}

const parts = { waiting, tenants, rows, inFlight, connections }
const chosen = values.only?.split(",") ?? Object.keys(parts)
for (const [name, part] of Object.entries(parts)) if (chosen.includes(name)) await part()
process.exit()
