/**
 * `pnpm bench refresh [--seeds N] [--from S]`: ways to keep a session whose refresh token can be used once, in the same
 * worlds: processes that share the session on several hosts, and the faults that every operator meets.
 */
import { availableParallelism } from "node:os"
import { setImmediate as nextTurn } from "node:timers/promises"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import "../preload.ts"
import type { Kind } from "../faults.ts"
import type { Contender, Shared } from "./contenders.ts"
import type { World } from "../world.ts"

/** Answers and requests are lost, and processes crash, restart and freeze. */
const usual: ReadonlyArray<Kind> = [
  "answer lost",
  "request lost",
  "request refused",
  "no answer",
  "answer slow",
  "crash",
  "stop",
  "pause",
  "pause past the lease"
]

const worlds = {
  "right clocks": usual,
  /** In most of these runs the clocks are right as well. Otherwise they are up to an hour apart. */
  "wrong clocks": [...usual, "clock jumps"] as ReadonlyArray<Kind>
}
type WorldName = keyof typeof worlds

const ours = "effect-custody"

interface Counted {
  readonly lost: number
  readonly refreshes: number
  readonly calls: number
  readonly late: number
}

const play = async (world: WorldName, name: string, from: number, seeds: number): Promise<Counted> => {
  const { contenders } = await import("./contenders.ts")
  const { run } = await import("../run.ts")
  const contender: Contender | undefined = Object.entries(contenders).find(([other]) => other === name)?.[1]
  const files = new WeakMap<World, Shared>()
  const counted = { lost: 0, refreshes: 0, calls: 0, late: 0 }
  for (let seed = from; seed < from + seeds; seed++) {
    await nextTurn()
    const { calls } = run(seed, {
      contest: {
        kinds: worlds[world],
        isAhead: name === ours,
        makeTokens:
          contender &&
          ((world, process, { accessToken, expiresAt, refreshToken }) => {
            const kept = { generation: 0, access: accessToken, refresh: refreshToken, expiresAt: Number(expiresAt) }
            const shared = files.get(world) ?? { kept, holder: undefined }
            files.set(world, shared)
            return contender(world, process, shared)
          })
      }
    })
    if (calls.failedLast > 0) counted.lost++
    counted.refreshes += calls.refreshes
    counted.calls += calls.all
    counted.late += calls.late
  }
  return counted
}

const inWorker = (...given: Parameters<typeof play>) =>
  new Promise<Counted>((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: given })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

const main = async () => {
  const { values } = parseArgs({
    options: { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "1" } }
  })
  const [seeds, from, workers] = [Number(values.seeds), Number(values.from), availableParallelism()]
  const { contenders } = await import("./contenders.ts")
  console.log(`${seeds} seeds from ${from}\n`)
  console.log("| way | clocks | sessions lost | refreshes sent | calls | of them over a second |")
  console.log("| --- | --- | ---: | ---: | ---: | ---: |")
  const share = Math.ceil(seeds / workers)
  for (const name of [ours, `${ours}, not ahead of the expiry`, ...Object.keys(contenders).toReversed()]) {
    for (const world of Object.keys(worlds) as ReadonlyArray<WorldName>) {
      const parts = await Promise.all(
        Array.from({ length: workers }, (_, at) =>
          inWorker(world, name, from + at * share, Math.max(0, Math.min(share, seeds - at * share)))
        )
      )
      const sum = (key: keyof Counted) => parts.reduce((total, part) => total + part[key], 0)
      console.log(`| ${name} | ${world} | ${sum("lost")} | ${sum("refreshes")} | ${sum("calls")} | ${sum("late")} |`)
    }
  }
}

if (isMainThread) await main()
else {
  parentPort!.postMessage(await play(...(workerData as Parameters<typeof play>)))
}
