/**
 * A day at a payment company, on an emulator in the same process. Two things go wrong in its course, as they do: the
 * token expires twice, and the answer to the payout is lost.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { day } from "./day.ts"
import * as Story from "./story.ts"
import { World } from "./World.ts"

const Emulator = CustodyEmulator.layerWith({
  durations: { pendingFor: "500 millis", broadcastingFor: "1 second" }
})

const program = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  yield* emulator.faults.next("transactions.send", Fault.answerLost())
  yield* day
  const { refreshes, requests } = yield* emulator.counts
  const writes = yield* emulator.ledger
  const sends = writes.filter(({ operation }) => operation === "transactions.send").length
  yield* Story.chapter("What the service saw")
  yield* Story.line(`${requests} requests, ${refreshes} of them for new tokens, which nobody noticed.`)
  yield* Story.line(`${writes.length} writes, and ${sends} payout, whose answer was lost.\n`)
})

program.pipe(Effect.provide(Layer.provideMerge(World.layer, Emulator)), NodeRuntime.runMain)
