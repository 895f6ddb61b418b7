/** A Redis for tests: `redis-server` of the PATH, or the program of CUSTODY_TEST_REDIS_SERVER, on a free port. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createClient } from "redis"
import { endWithUs } from "./endWithUs.ts"
import { freePort } from "./ports.ts"
import { temporaryDirectory } from "./sqlitePlace.ts"

const program = process.env.CUSTODY_TEST_REDIS_SERVER ?? "redis-server"

/** The version of the server, such as 7.0.15; `undefined` if this machine has none. */
const version = (() => {
  try {
    return / v=(\d+\.\d+\.\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1]
  } catch {
    return undefined
  }
})()

/** `true` if this machine has a Redis. */
export const hasRedis = version !== undefined

/** `true` if the server has `WAITAOF`, which came with Redis 7.2. */
export const hasWaitAof = version !== undefined && Number.parseFloat(version) >= 7.2

/** The title of tests that need Redis. */
export const withRedis = (title: string): string =>
  hasRedis ? title : `${title} (skipped: \`redis-server\` is not on the PATH)`

/** Settings with which no acknowledged write is lost. */
const durable: Readonly<Record<string, string>> = { appendonly: "yes", appendfsync: "always", save: "" }

export interface Server {
  readonly port: number
  readonly url: string
  /** Starts it again, with what its disk has. */
  readonly start: Effect.Effect<void>
  /** Ends it on the spot. */
  readonly kill: Effect.Effect<void>
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Runs a command on a connection of its own. */
  readonly command: (...command: ReadonlyArray<string>) => Effect.Effect<unknown>
}

/** Starts a server that lives as long as the scope. */
export const redisServer = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const scope = yield* Effect.scope
  const directory = yield* temporaryDirectory
  const port = yield* freePort
  const url = `redis://127.0.0.1:${port}`
  const args = Object.entries({ ...durable, port: `${port}`, bind: "127.0.0.1", dir: directory, ...settings })
  let child: ChildProcess | undefined
  const start = Effect.gen(function* () {
    yield* Effect.promise(
      () =>
        new Promise<void>((resolve, reject) => {
          child = spawn(
            program,
            args.flatMap(([name, value]) => [`--${name}`, value]),
            {
              stdio: ["ignore", "pipe", "inherit"]
            }
          )
          let said = ""
          child.once("error", reject)
          child.once("exit", () => reject(new Error(said)))
          child.stdout!.on("data", (chunk: Buffer) => {
            if (said.includes("Ready to accept connections")) return
            said += chunk.toString()
            if (said.includes("Ready to accept connections")) resolve()
          })
        })
    )
    yield* Scope.provide(endWithUs(child!.pid!), scope)
  })
  const kill = Effect.promise(async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })
  yield* Effect.addFinalizer(() => kill)
  yield* start
  const command = (...parts: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const client = createClient({ url, socket: { reconnectStrategy: false } })
      client.on("error", () => {})
      await client.connect()
      try {
        return await client.sendCommand<unknown>([...parts])
      } finally {
        client.destroy()
      }
    })
  const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => void child!.kill(name))
  return { port, url, start, kill, signal, command } satisfies Server
})

/** Waits until a primary has a replica that follows it. */
export const awaitReplica = ({ command }: Server) =>
  Effect.repeat(command("INFO", "replication"), {
    while: (info) => !String(info).includes("state=online"),
    schedule: Schedule.spaced("20 millis")
  })
