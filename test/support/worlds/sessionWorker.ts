/**
 * A process with a session in a SQLite file, which makes one call for each line of its input, and reports its result. With
 * a deadline, a call settles before it is reported, as in a function's runtime that is frozen between invocations.
 */
import { Environment, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"

const [sessionFile = "", baseUrl = "", apiKey = "", requestTimeout = "", deadline = ""] = process.argv.slice(2)

/** Says that the process is ready, or the result of a call: `ok`, or the tag of its error. */
const say = (said: string) => Effect.sync(() => void writeSync(1, `${JSON.stringify({ said })}\n`))

const details = Vaults.details()
const call =
  deadline === "" ? details : Effect.ensuring(RetryPolicy.within(details, Number(deadline)), Custody.awaitStored)

const read = Effect.matchEffect(call, { onFailure: ({ _tag }) => say(_tag), onSuccess: () => say("ok") })

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.andThen(say("ready"), Effect.ignore(Stream.runForEach(lines, () => Effect.forkScoped(read)))).pipe(
  Effect.scoped,
  Effect.provide(
    NodeCustody.layer({
      environment: Environment.emulator(baseUrl),
      sessionFile,
      retry: RetryPolicy.none,
      timing: {
        proactive: deadline === "",
        ...(requestTimeout === "" ? {} : { requestTimeout: Duration.millis(Number(requestTimeout)) })
      },
      apiKey: Redacted.make(apiKey)
    })
  )
)

NodeRuntime.runMain(main)
