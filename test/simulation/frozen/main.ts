/**
 * `node test/simulation/frozen/main.ts --minutes 7 --processes 3`: real processes that share a session in PostgreSQL, each
 * frozen with SIGSTOP as soon as its invocation has answered, as Lambda does. Prints the lost sessions of each setting. All
 * settings run at once, each with an emulator and processes of its own. Exits with 1 if a session is lost with
 * `proactive: false` and `Custody.settled`.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { emptyDatabase, postgresServer } from "../../support/servers/postgres.ts"
import type { Start } from "./container.ts"
import { startContainer } from "./containerProcess.ts"

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "7" }, processes: { type: "string", default: "3" } }
})
const minutes = Number(values.minutes)
const processes = Number(values.processes)

type Setting = Pick<Start, "proactive" | "settles" | "deadline">

const patient = 10_000
/** A deadline that ends most calls that wait for a refresh. */
const hasty = 300

const settings: Readonly<Record<string, Setting>> = {
  "as by default": { proactive: true, settles: false, deadline: patient },
  "Custody.settled": { proactive: true, settles: true, deadline: patient },
  "proactive: false": { proactive: false, settles: false, deadline: patient },
  "proactive: false, short deadlines": { proactive: false, settles: false, deadline: hasty },
  "proactive: false, short deadlines, Custody.settled": { proactive: false, settles: true, deadline: hasty }
}

/** The errors after which only another API key helps. */
const ends: ReadonlySet<string> = new Set(["SessionLost", "NoSession", "StoredSessionInvalid"])

/** One container starts at a time, because a start takes all of a processor. */
const starting = Semaphore.makeUnsafe(1)

const measure = Effect.fnUntraced(function* (setting: Setting, server: string) {
  const options = { tokenLifetime: "25 seconds", durations: { latency: "60 millis" } } as const
  const context = yield* Layer.build(Layer.fresh(CustodyEmulator.layerServer(options)))
  const { baseUrl, counts, faults, issueApiKey } = Context.get(context, CustodyEmulator)
  const store = { _tag: "postgres" as const, url: yield* emptyDatabase(server) }
  const start: Start = { ...setting, store, key: randomBytes(32).toString("base64"), baseUrl }
  const newKey = Effect.map(issueApiKey(), Redacted.value)
  // A refresh takes 200 to 600 milliseconds. More of these faults than refreshes.
  for (let refreshes = 20 * minutes + 20; refreshes > 0; refreshes--) {
    const answer = (yield* Random.nextBetween(200, 600)) - 60
    yield* faults.next("authentication.refreshToken", Fault.delayed({ answer }))
  }
  const tags = new Map<string, number>()
  let losses = 0
  const containers = yield* Effect.replicateEffect(starting.withPermit(startContainer(start)), processes)
  yield* containers[0]!.invoke(yield* newKey)
  const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(Duration.minutes(minutes))
  const invocations = Effect.fnUntraced(function* (container: (typeof containers)[number]) {
    while ((yield* Clock.currentTimeMillis) < end) {
      yield* Effect.sleep(yield* Random.nextBetween(100, 8_000))
      let tag = yield* container.invoke("")
      tags.set(tag, (tags.get(tag) ?? 0) + 1)
      if (!ends.has(tag)) continue
      // Another process may have replaced the lost session meanwhile.
      tag = yield* container.invoke("")
      if (!ends.has(tag)) continue
      losses++
      yield* container.invoke(yield* newKey)
    }
  })
  yield* Effect.forEach(containers, invocations, { concurrency: "unbounded", discard: true })
  const { rotations } = yield* counts
  return { losses, rotations, tags: [...tags].map(([tag, times]) => `${times} ${tag}`).join(", ") }
}, Effect.scoped)

const main = Effect.gen(function* () {
  const server = yield* postgresServer
  const results = yield* Effect.forEach(
    Object.entries(settings),
    ([name, setting]) => Effect.map(measure(setting, server), (result) => ({ name, setting, ...result })),
    { concurrency: "unbounded" }
  )
  for (const { losses, name, rotations, tags } of results) {
    yield* Console.log(`${name}: ${losses} sessions lost in ${rotations} rotations; invocations: ${tags}`)
  }
  const isBroken = results.some(({ losses, setting }) => losses > 0 && !setting.proactive && setting.settles)
  if (isBroken) yield* Effect.sync(() => (process.exitCode = 1))
}).pipe(Effect.scoped)

NodeRuntime.runMain(main)
