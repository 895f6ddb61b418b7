/** Bugs of `../../bugs.ts` in SQL and in code that only runs with effects, planted in the model instead. */
import type { Bugs } from "../../bugs.ts"

const model = "test/simulation/ledger/explorer"

export const modelBugs: Bugs = {
  "an intent does not expire": [
    {
      file: `${model}/steps.ts`,
      from: `=== "valid"\n      const unsent`,
      to: `!== undefined\n      const unsent`
    }
  ],
  "no compare-and-swap": [
    {
      file: `${model}/statements.ts`,
      from: "const state = decide(now.state, step)\n  if (now.attempt !== attempt || state === undefined) return undefined",
      to: "const state = stepRule[step].to"
    },
    {
      file: `${model}/statements.ts`,
      from: "import { decide }",
      to: "import { stepRule }"
    }
  ],
  "no guard of twins": [
    {
      file: `${model}/statements.ts`,
      from: `if (!areTwins || notes === "shown") return ready`,
      to: "if (areTwins || notes) return ready"
    }
  ],
  "an empty filter is believed": [
    {
      file: `${model}/steps.ts`,
      from: "const found = shown(world).filter((one) =>",
      to: "const found = shown(world).filter((one) => one < 0 &&"
    },
    {
      file: `${model}/steps.ts`,
      from: "const page = shown(world)",
      to: "const page: Array<number> = []"
    }
  ],
  /** The guard of a twin ends when it is sent. */
  "an unknown twin is not guarded": [
    {
      file: `${model}/statements.ts`,
      from: `isGuarded: now.isGuarded && (state === "unknown" || state === "undecided")`,
      to: "isGuarded: false"
    }
  ]
}
