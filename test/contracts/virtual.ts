/** The stage in process and in virtual time. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { frontClient } from "../support/servers/dialects/front.ts"
import type { Setting } from "./stage.ts"

export const inProcess: Setting<unknown> = {
  open: (dialect) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 1))
      const context = yield* Layer.build(
        Layer.fresh(
          CustodyEmulator.layerHttpClientWith({ durations: { pendingFor: "1 second", broadcastingFor: "1 second" } })
        )
      )
      const emulator = Context.get(context, CustodyEmulator)
      const http = frontClient(dialect)(Context.get(context, HttpClient.HttpClient))
      return { emulator, environment: emulator.environment, http }
    }),
  // Real turns of the event loop, in which the worker does what the virtual time has made due.
  rest: Effect.gen(function* () {
    for (let step = 0; step < 150; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("500 millis")
    }
  })
}
