/** The stage over HTTP on the loopback, in real time. */
import { Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { frontServer } from "../support/servers/dialects/front.ts"
import type { Setting } from "./stage.ts"

export const durations = { pendingFor: "50 millis", broadcastingFor: "50 millis" } as const

export const overSockets: Setting<unknown> = {
  open: (dialect) =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        Layer.fresh(Layer.merge(CustodyEmulator.layerServer({ durations }), NodeCustody.layerHttpClient()))
      )
      const emulator = Context.get(context, CustodyEmulator)
      const baseUrl = yield* frontServer(dialect, emulator.baseUrl)
      return { emulator, environment: Environment.emulator(baseUrl), http: Context.get(context, HttpClient.HttpClient) }
    }),
  rest: Effect.sleep("5 seconds")
}
