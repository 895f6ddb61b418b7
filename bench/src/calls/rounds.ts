/** Runs the contenders side by side: one server, a process for each, and rounds in which everybody has a turn. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { contenders } from "./contenders.ts"
import { type JobName, jobs } from "./jobs.ts"
import type { Order } from "./process.ts"
import { type Certificate, type Service, toEnvironment } from "./tls.ts"
import { selfSigned } from "../../../test/support/servers/selfSigned.ts"

/** Starts a process of this folder, and waits for its first message. */
export const startProcess = async (
  certificate: Certificate | undefined,
  file: string,
  ...args: ReadonlyArray<string>
) => {
  const child = fork(Path.join(import.meta.dirname, file), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, ...toEnvironment(certificate) }
  })
  return { child, said: await told(child) }
}

/** The next message of a process; fails if the process ends without one. */
const told = async (child: ChildProcess): Promise<unknown> => {
  const controller = new AbortController()
  const { signal } = controller
  try {
    const [word] = await Promise.race([
      once(child, "message", { signal }) as Promise<[unknown]>,
      once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`a process of the benchmark ended with ${code}`)
      })
    ])
    return word
  } finally {
    controller.abort()
  }
}

export interface Plan {
  readonly names: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<JobName>
  readonly rounds: number
  readonly inFlight: number
  /** How many of the calls of a job a round makes: 1 is all of them. */
  readonly share: number
  /** How the service is called. Default: `http`. */
  readonly service?: Service
}

/** The CPU time of one call in each round, in microseconds. */
export interface Measured {
  readonly name: string
  readonly job: JobName
  readonly cpu: ReadonlyArray<number>
}

/** How many rounds are run and forgotten: only after about a dozen do the compilers change the figures no more. */
const warmUp = 12

export const measure = async (plan: Plan): Promise<ReadonlyArray<Measured>> => {
  const { service = "http" } = plan
  const certificate = service === "http" ? undefined : selfSigned()
  const server = await startProcess(certificate, "server.ts", service)
  const processes = new Map<string, ChildProcess>()
  try {
    for (const name of plan.names) {
      processes.set(name, (await startProcess(certificate, "process.ts", name, String(server.said))).child)
    }
    const measured = plan.jobs.flatMap((job) => plan.names.map((name) => ({ name, job, cpu: [] as Array<number> })))
    for (let round = -warmUp; round < plan.rounds; round++) {
      // Contenders take turns to be first, and none always follows the same one.
      const turns = round % 2 === 0 ? measured : measured.toReversed()
      for (const entry of turns) {
        const calls = Math.max(plan.inFlight, Math.ceil(jobs[entry.job].calls * plan.share))
        const order: Order = { job: entry.job, calls, inFlight: plan.inFlight }
        const child = processes.get(entry.name)!
        child.send(order)
        const cost = Number(await told(child))
        if (round >= 0) entry.cpu.push(cost / calls)
      }
    }
    return measured
  } finally {
    for (const child of [...processes.values(), server.child]) child.disconnect()
  }
}

export const everybody = Object.keys(contenders)
