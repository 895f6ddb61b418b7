/**
 * Token rotation: many fibers, then many processes, and one refresh for all of them. A hundred fibers of this process share
 * a `TokenService`. Three processes share a session whose store in PostgreSQL is all that they have in common. Whenever the
 * token expires for all of them at once, the service receives exactly one refresh.
 *
 * Configuration: that of the workers, and `EMULATOR_CONTROL`, since only an emulator can be told to expire its tokens,
 * and says what it counted.
 */
import { Counts, CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Array, Config, Console, Effect, Layer, Path, Queue, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { ChildProcess } from "effect/process"
import { decodeReport, type Report } from "./report.ts"

const processes = 3

class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}

/** A worker, which makes a wave of calls each time that it is asked to. It ends with the scope. */
const startWorker = Effect.gen(function* () {
  const path = yield* Path.Path
  const orders = yield* Queue.unbounded<string>()
  const reports = yield* Queue.unbounded<Report, Failed>()
  const worker = yield* ChildProcess.make(process.execPath, [path.join(import.meta.dirname, "worker.ts")], {
    stdin: Stream.fromQueue(orders).pipe(Stream.encodeText),
    stderr: "inherit"
  })
  yield* worker.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => Effect.flatMap(decodeReport(line), (report) => Queue.offer(reports, report))),
    Effect.ignoreCause,
    Effect.andThen(Queue.fail(reports, new Failed({ message: `worker ${worker.pid} has ended` }))),
    Effect.forkScoped
  )
  return { wave: Effect.andThen(Queue.offer(orders, "now\n"), Queue.take(reports)) }
})

/** What only an emulator can do. */
const makeEmulator = Effect.gen(function* () {
  const control = yield* Config.NonEmptyString("EMULATOR_CONTROL")
  const http = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const counts = http.get(`${control}/counts`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Counts)),
    Effect.map(({ byOperation, refreshes }) => {
      const answered = Object.values(byOperation["authentication.generateTokens"] ?? {})
      return { exchanges: answered.reduce((sum, times) => sum + times, 0), refreshes }
    })
  )
  return { expireTokens: http.post(`${control}/expire`), counts }
})

/** A hundred fibers whose calls get a 498 together. */
const fibers = Effect.gen(function* () {
  const { counts, expireTokens } = yield* CustodyEmulator
  yield* Vaults.details()
  yield* expireTokens
  yield* Effect.all(Array.replicate(Vaults.details(), 100), { concurrency: "unbounded" })
  const { refreshes } = yield* counts
  if (refreshes !== 1) return yield* new Failed({ message: `100 fibers, but ${refreshes} refreshes` })
  yield* Console.log("\n100 fibers find the token expired.\n  All of their calls succeeded, after one refresh.")
}).pipe(Effect.provide(CustodyEmulator.layer))

const program = Effect.gen(function* () {
  yield* fibers
  const emulator = yield* makeEmulator
  const before = yield* emulator.counts
  const workers = yield* Effect.all(Array.replicate(startWorker, processes), { concurrency: "unbounded" })

  const wave = Effect.fn("wave")(function* (title: string) {
    const reports = yield* Effect.all(
      workers.map((worker) => worker.wave),
      { concurrency: "unbounded" }
    )
    const after = yield* emulator.counts
    const exchanges = after.exchanges - before.exchanges
    const refreshes = after.refreshes - before.refreshes
    yield* Console.log(`\n${title}`)
    for (const { calls, generation, pid, succeeded } of reports) {
      yield* Console.log(
        `  process ${pid}: ${succeeded} of ${calls} calls succeeded, session of generation ${generation}`
      )
    }
    yield* Console.log(`  The service counts: exchanged API keys: ${exchanges}, refreshes: ${refreshes}.`)
    if (reports.some(({ calls, succeeded }) => succeeded < calls)) return yield* new Failed({ message: "Calls failed" })
    return { exchanges, refreshes }
  })

  yield* wave(`${processes} processes start with one one-time API key.`)
  yield* emulator.expireTokens
  yield* wave("The token expires, and all of them notice at once.")
  yield* emulator.expireTokens
  const { exchanges, refreshes } = yield* wave("It expires again.")

  if (exchanges !== 1) return yield* new Failed({ message: `1 API key, but ${exchanges} exchanges` })
  if (refreshes !== 2) return yield* new Failed({ message: `2 expiries, but ${refreshes} refreshes` })
  yield* Console.log("\nOne refresh per expiry, however many processes there are.\n")
})

program.pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(NodeServices.layer, NodeCustody.layerHttpClient())),
  NodeRuntime.runMain
)
