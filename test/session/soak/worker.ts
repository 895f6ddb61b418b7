/** A process of a deployment: it calls with every session, as its users would, until a signal ends it. */
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createInterface } from "node:readline"
import { clock, type Instruction, type Start } from "../kills/protocol.ts"
import { makeClients, report } from "../kills/reportingClient.ts"
import { openStore } from "../kills/stores.ts"

const start: Start = JSON.parse(process.argv[2]!)
const name = process.argv[3]!

/** The pause between two calls. */
const pause = "150 millis"

const isEnd = (tag: string) => tag === "SessionLost" || tag === "NoSession"

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.gen(function* () {
  const client = yield* makeClients(name, { baseUrl: start.baseUrl })

  const call = (instruction: Instruction) =>
    Effect.gen(function* () {
      const began = clock()
      const tag = yield* client(instruction).pipe(
        Effect.flatMap((context) => Effect.provideContext(Vaults.details(), context)),
        Effect.match({
          onFailure: (error) => (error._tag === "RefreshUnavailable" ? `${error._tag} (${error.phase})` : error._tag),
          onSuccess: () => "ok"
        }),
        Effect.catchDefect((defect) => Effect.succeed(`defect: ${String(defect)}`))
      )
      yield* report({ what: "call", identity: instruction.identity, began, tag })
      yield* Effect.sleep(pause)
      return tag
    })

  const calls = (instruction: Instruction) => Effect.repeat(call(instruction), { until: isEnd })

  yield* report({ what: "ready" })
  // A signal ends the callers first, and then their clients.
  yield* Effect.scoped(Effect.ignore(Stream.runForEach(lines, (line) => Effect.forkScoped(calls(JSON.parse(line))))))
}).pipe(Effect.scoped)

const store = await openStore(start)
NodeRuntime.runMain(Effect.provide(main, Layer.merge(store, NodeCustody.layerHttpClient())))
