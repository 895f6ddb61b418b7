/** Processes that serve tools, as a client sees them that may lose every answer. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** The arguments of Node, and the environment of a process. */
export interface Program {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Answer {
  /** The tag of the error, or `undefined`. */
  readonly error: string | undefined
}

interface Message {
  readonly id?: number
  readonly result?: { readonly isError?: boolean; readonly content: ReadonlyArray<{ readonly text: string }> }
}

const answerOf = ({ result }: Message): Answer => ({
  error:
    result === undefined ? "JSON-RPC" : result.isError === true ? JSON.parse(result.content[0]!.text).error : undefined
})

/** Starts a process. A call is answered with `undefined` if the process ends before. */
const start = ({ args, env }: Program) => {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (message: Message | undefined) => void>()
  let last = 0
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request = (method: string, params: object) =>
    new Promise<Message | undefined>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined)
      waiting.set(++last, resolve)
      write({ id: last, method, params })
    })
  // A process that was killed takes no more.
  child.stdin.on("error", () => undefined)
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: Message = JSON.parse(line)
    if (message.id === undefined) return
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  child.once("close", () => waiting.forEach((resolve) => resolve(undefined)))
  const clientInfo = { name: "agent", version: "1" }
  const ready = request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }).then(() =>
    write({ method: "notifications/initialized" })
  )
  const call = (name: string, given: object): Promise<Answer | undefined> =>
    ready
      .then(() => request("tools/call", { name, arguments: given }))
      .then((message) => (message === undefined ? undefined : answerOf(message)))
  return { child, call }
}

const ended = (child: ChildProcess) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined)
    child.once("exit", resolve)
    child.kill("SIGKILL")
  })

/** So many servers, which end with the scope. */
export const makeServers = Effect.fnUntraced(function* (count: number, program: Effect.Effect<Program>) {
  const all: Array<ReturnType<typeof start>> = []
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(all.map(({ child }) => ended(child)))))
  for (let slot = 0; slot < count; slot++) all.push(start(yield* program))
  return {
    call: (slot: number, name: string, given: object) => all[slot]!.call(name, given),
    /** Kills a server, and starts another in its place. */
    kill: Effect.fnUntraced(function* (slot: number) {
      const other = start(yield* program)
      all[slot]!.child.kill("SIGKILL")
      all[slot] = other
    })
  }
})

export type Servers = Effect.Success<ReturnType<typeof makeServers>>
