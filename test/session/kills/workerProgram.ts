/** The program of a worker: one client for each session over one store. It reports every phase. */
import { RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createInterface } from "node:readline"
import type { Start, Instruction } from "./protocol.ts"
import { makeClients, report } from "./reportingClient.ts"
import { openStore } from "./stores.ts"

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.fnUntraced(function* ({ baseUrl, leaseMillis, requestMillis }: Start, name: string) {
  const client = yield* makeClients(name, {
    baseUrl,
    retry: RetryPolicy.none,
    timing: {
      leaseTimeout: Duration.millis(leaseMillis),
      ...(requestMillis === undefined ? {} : { requestTimeout: Duration.millis(requestMillis) })
    }
  })

  const read = (instruction: Instruction) => {
    const { identity, round } = instruction
    return client(instruction).pipe(
      Effect.flatMap((context) => Effect.provideContext(Vaults.details(), context)),
      Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" }),
      // A defect is reported too, so that the parent does not wait for this read forever.
      Effect.catchDefect((defect) => Effect.succeed(`defect: ${String(defect)}`)),
      Effect.flatMap((tag) => report({ what: "read", identity, round, tag }))
    )
  }

  yield* report({ what: "ready" })
  yield* Effect.ignore(Stream.runForEach(lines, (line) => Effect.forkScoped(read(JSON.parse(line)))))
})

/** Works until the process is killed or its input ends. */
export const work = async (start: Start, name: string): Promise<void> => {
  const store = await openStore(start)
  await Effect.runPromise(
    main(start, name).pipe(Effect.scoped, Effect.provide(Layer.merge(store, NodeCustody.layerHttpClient())))
  )
}
