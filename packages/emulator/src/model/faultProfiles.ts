/** Faults that repeat for ever, each for one operation or for all operations (`*`), by the name of their profile. */
import * as Record from "effect/Record"
import * as Fault from "./Fault.ts"
import type { FaultProfile } from "./Options.ts"

interface Profile {
  readonly description: string
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
  "late-arrivals": {
    description: "1 send in 5 is answered 504, and is carried out 2 s later",
    faults: [
      [
        "transactions.send",
        Fault.sometimes({ probability: 0.2, seed: 1 }, Fault.late("2 seconds", Fault.serverError({ status: 504 })))
      ]
    ]
  }
}

export const names = Record.keys(profiles)
