/**
 * `node test/mistakenContract/main.ts`: plays each mistake over HTTP on the loopback, with a real ledger, and prints how
 * many of its eight payouts the service had paid, rightly + wrongly: with `risksWrongPayouts`, before a person confirmed
 * anything, and in the end.
 */
import { Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { frontServer } from "../support/servers/dialects/front.ts"
import { mistakes } from "./mistakes.ts"
import { right } from "./service.ts"
import { type Paid, play, type Setting } from "./stage.ts"

const durations = { pendingFor: "50 millis", broadcastingFor: "50 millis" } as const

const overSockets: Setting<unknown> = {
  open: (dialect) =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        Layer.fresh(Layer.merge(CustodyEmulator.layerServer({ durations }), NodeCustody.layerHttpClient()))
      )
      const emulator = Context.get(context, CustodyEmulator)
      const baseUrl = yield* frontServer(dialect, emulator.baseUrl)
      return { emulator, environment: Environment.local(baseUrl), http: Context.get(context, HttpClient.HttpClient) }
    }),
  rest: Effect.sleep("5 seconds")
}

const paid = ({ right, wrong }: Paid) => `${right} + ${wrong}`

const program = Effect.gen(function* () {
  yield* Console.log("| mistake | at once | before a person | the person | in the end | states |")
  yield* Console.log("| --- | ---: | ---: | --- | ---: | --- |")
  for (const mistake of [{ name: "none", contract: right }, ...mistakes]) {
    const [atOnce, played] = yield* Effect.all(
      [play(mistake, overSockets, { risksWrongPayouts: true }), play(mistake, overSockets)],
      { concurrency: "unbounded" }
    )
    const { after, before, name, objections, states, stopped } = played
    const person =
      objections === undefined ? "is shown nothing" : objections.length === 0 ? "confirms" : objections.join(", ")
    const shown = Object.entries(states).map(([state, number]) => `${number} ${state}`)
    const end = stopped === undefined ? shown.join(", ") : `${shown.join(", ")}: ${stopped}`
    yield* Console.log(`| ${[name, paid(atOnce.before), paid(before), person, paid(after), end].join(" | ")} |`)
  }
})

await Effect.runPromise(program)
