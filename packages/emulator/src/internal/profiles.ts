/** Ways in which a service can be a trouble, by name: faults that last, and options that go with them. */
import * as Fault from "../Fault.ts"
import type { Options } from "../Options.ts"

export interface Profile {
  readonly description: string
  readonly options?: Options
  /** What goes wrong, again and again: an operation, or `*`, and how. */
  readonly faults: ReadonlyArray<readonly [operation: string, fault: Fault.Fault]>
}

const reset: Fault.Fault = { name: "reset", reach: "Received", ending: { _tag: "Break", code: "ECONNRESET" } }

export const names = ["flaky", "slow", "expiring"] as const

export const profiles: Readonly<Record<(typeof names)[number], Profile>> = {
  flaky: {
    description: "one request in ten is reset, throttled or fails; one send in ten happens and is not answered",
    faults: [
      ["transactions.send", Fault.sometimes({ probability: 0.1, seed: 1 }, Fault.answerLost())],
      ["*", Fault.sometimes({ probability: 0.04, seed: 2 }, Fault.serverError({ status: 503 }))],
      ["*", Fault.sometimes({ probability: 0.03, seed: 3 }, Fault.rateLimited("1 second"))],
      ["*", Fault.sometimes({ probability: 0.03, seed: 4 }, reset)]
    ]
  },
  slow: {
    description: "every answer takes 200 ms, one in ten takes 2 s, one in a hundred takes 20 s",
    options: { durations: { latency: "200 millis" } },
    faults: [
      ["*", Fault.sometimes({ probability: 0.01, seed: 1 }, Fault.delayed({ answer: "20 seconds" }))],
      ["*", Fault.sometimes({ probability: 0.1, seed: 2 }, Fault.delayed({ answer: "2 seconds" }))]
    ]
  },
  expiring: {
    description: "access tokens live 2 s, and a new one is accepted after 100 ms",
    options: { tokenLifetime: "2 seconds", quirks: { accessTokenActivation: "100 millis" } },
    faults: []
  }
}
