/**
 * A process with a session in a SQLite file. It reads on command from standard input, and reports each result and its
 * time.
 */
import { Environment, RetryPolicy, SessionEvents } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"

const [sessionFile = "", baseUrl = "", apiKey = "", requestTimeout = ""] = process.argv.slice(2)

/** A message of a worker, as one line. */
export interface Said {
  readonly what: "ready" | "event" | "read"
  readonly tag: string
  readonly at: number
}

const say = (what: Said["what"], tag: string) =>
  Effect.sync(
    () => void writeSync(1, `${JSON.stringify({ what, tag, at: performance.timeOrigin + performance.now() })}\n`)
  )

const read = Effect.matchEffect(Vaults.details(), {
  onFailure: ({ _tag }) => say("read", _tag),
  onSuccess: () => say("read", "ok")
})

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.gen(function* () {
  yield* Effect.forkScoped(Stream.runForEach(SessionEvents.stream, ({ _tag }) => say("event", _tag)))
  yield* Effect.yieldNow
  yield* say("ready", "ok")
  yield* Effect.ignore(Stream.runForEach(lines, () => Effect.forkScoped(read)))
}).pipe(
  Effect.scoped,
  Effect.provide(
    NodeCustody.layer({
      environment: Environment.local(baseUrl),
      sessionFile,
      retry: RetryPolicy.none,
      ...(requestTimeout === "" ? {} : { timing: { requestTimeout: Duration.millis(Number(requestTimeout)) } }),
      ...(apiKey === "" ? {} : { apiKey: Redacted.make(apiKey) })
    })
  )
)

if (import.meta.main) NodeRuntime.runMain(main)
