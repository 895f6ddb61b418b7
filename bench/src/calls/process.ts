/**
 * One contender in a process of its own: it runs the calls that it is told to, and reports
 * their CPU time in microseconds.
 */
import { contenders } from "./contenders.ts"
import type { JobName } from "./jobs.ts"
import { trust } from "./tls.ts"

export interface Order {
  readonly job: JobName
  readonly calls: number
  readonly inFlight: number
}

trust()
const [name = "", origin = ""] = process.argv.slice(2)
const run = await (await contenders[name]!())(origin)

process.on("message", async ({ calls, inFlight, job }: Order) => {
  // Opens the connections again that were closed while others had their turn.
  await run(job, inFlight, inFlight).catch(() => {})
  const cpu = process.cpuUsage()
  run(job, calls, inFlight).then(
    () => {
      const { system, user } = process.cpuUsage(cpu)
      process.send!(user + system)
    },
    (error: unknown) => {
      console.error(`${name}: ${job}`, error)
      process.exit(1)
    }
  )
})
process.on("disconnect", () => process.exit())
process.send!("ready")
