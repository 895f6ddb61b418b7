/** Faults and settings by the name of their profile. */
import * as Record from "effect/Record"
import * as Fault from "./Fault.ts"
import type { FaultProfile, Options } from "./Options.ts"

interface Profile {
  readonly description: string
  readonly options?: Options
  /** Faults that repeat for ever, each for one operation or for all operations (`*`). */
  readonly faults: ReadonlyArray<readonly [operation: string, fault: Fault.Fault]>
}

export const profiles: { readonly [N in FaultProfile]: Profile } = {
  flaky: {
    description: "1 request in 10 is reset, throttled or fails; 1 send in 10 is carried out without an answer",
    faults: [
      ["transactions.send", Fault.sometimes({ probability: 0.1, seed: 1 }, Fault.answerLost())],
      ["*", Fault.sometimes({ probability: 0.04, seed: 2 }, Fault.serverError({ status: 503 }))],
      ["*", Fault.sometimes({ probability: 0.03, seed: 3 }, Fault.rateLimited("1 second"))],
      ["*", Fault.sometimes({ probability: 0.03, seed: 4 }, Fault.reset())]
    ]
  },
  slow: {
    description: "every answer takes 200 ms, 1 in 10 takes 2 s, 1 in 100 takes 20 s",
    options: { durations: { latency: "200 millis" } },
    faults: [
      ["*", Fault.sometimes({ probability: 0.01, seed: 1 }, Fault.delayed({ answer: "20 seconds" }))],
      ["*", Fault.sometimes({ probability: 0.1, seed: 2 }, Fault.delayed({ answer: "2 seconds" }))]
    ]
  },
  expiring: {
    description: "access tokens live 2 s, and are accepted only 100 ms after they were issued",
    options: { tokenLifetime: "2 seconds", quirks: { accessTokenActivation: "100 millis" } },
    faults: []
  },
  "late-arrivals": {
    description: "1 send in 5 is answered 504, and is carried out 2 s later",
    faults: [
      [
        "transactions.send",
        Fault.sometimes({ probability: 0.2, seed: 1 }, Fault.late("2 seconds", Fault.serverError({ status: 504 })))
      ]
    ]
  },
  "awaiting-approval": {
    description: "sends and transfers stay PENDING until POST /emulator/approve or /emulator/reject",
    options: { quirks: { awaitsApproval: true } },
    faults: []
  }
}

export const names = Record.keys(profiles)
