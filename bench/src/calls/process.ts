/** One contender in a process of its own: it runs the calls that it is told to, and reports what they cost. */
import { contenders } from "./contenders.ts"
import type { JobName } from "./jobs.ts"
import { trust } from "./tls.ts"

export interface Order {
  readonly job: JobName
  readonly calls: number
  readonly inFlight: number
}

/** What an order took, in microseconds for all of its calls. */
export interface Cost {
  readonly cpu: number
  readonly wall: number
}

trust()
const [name = "", origin = "", connections] = process.argv.slice(2)
const contender = await contenders[name]!()
const run = await contender(origin, connections === undefined ? undefined : Number(connections))

process.on("message", async ({ calls, inFlight, job }: Order) => {
  // Opens the connections again that were closed while others had their turn.
  await run(job, inFlight, inFlight).catch(() => {})
  const wall = performance.now()
  const cpu = process.cpuUsage()
  run(job, calls, inFlight).then(
    () => {
      const used = process.cpuUsage(cpu)
      const cost: Cost = { cpu: used.user + used.system, wall: (performance.now() - wall) * 1_000 }
      process.send!(cost)
    },
    (error: unknown) => {
      console.error(`${name}: ${job}`, error)
      process.exit(1)
    }
  )
})
process.on("disconnect", () => process.exit())
process.send!("ready")
