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
      from: "const state = isForgotten ? stepRule[step].to : decide(now.state, step)",
      to: "const state = stepRule[step].to ?? decide"
    },
    {
      file: `${model}/statements.ts`,
      from: "if ((now.attempt !== attempt && !isForgotten) || state === undefined) return undefined",
      to: ""
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
  ],
  /** Claims go on after the database went back. */
  "no comparison after a change": [
    { file: `${model}/statements.ts`, from: "if (!isCompared) return []", to: "void isCompared" }
  ],
  /** The comparison does not wait for the history. */
  "the comparison begins at once": [
    {
      file: `${model}/steps.ts`,
      from: "isOfChange ? !isQuiet(world) : !mustCompare",
      to: "!isOfChange && !mustCompare"
    }
  ],
  /** What is known of an attempt that the database has forgotten is dropped. */
  "a forgotten attempt is dropped": [
    { file: `${model}/statements.ts`, from: `["accepted", "found", "lost"]`, to: "[]" }
  ],
  /** A sender says of another claim of the same attempt that nothing was sent. */
  "a claim is as good as another": [{ file: `${model}/statements.ts`, from: `["notSent", "refused"]`, to: "[]" }],
  /** A payout with an alarm stops nothing. */
  "an alarm stops nothing": [
    { file: `${model}/statements.ts`, from: "if (rows.some(({ alarm }) => alarm !== undefined)) return []", to: "" }
  ],
  /** A foreign row makes no payout undecided. */
  "no suspicion": [
    {
      file: `${model}/statements.ts`,
      from: "if (suspects.length === 0) return world",
      to: "if (suspects) return world"
    }
  ],
  /** Of equal foreign rows, the evidence names one. */
  "one suspect is named": [
    { file: `${model}/statements.ts`, from: "${suspects.map(", to: "${suspects.slice(0, 1).map(" }
  ],
  /** A payout that was tried before is not suspected. */
  "what was tried before is not suspected": [
    {
      file: `${model}/statements.ts`,
      from: `if (row.state !== "ready" ||`,
      to: `if (row.attempt > 0 || row.state !== "ready" ||`
    }
  ],
  /** The payouts are not compared with the foreign rows. */
  "a foreign row is never compared": [
    {
      file: `${model}/steps.ts`,
      from: "compareUnsent(settle(world, compare(world, page)), page)",
      to: "settle(world, compare(world, page)) ?? compareUnsent"
    }
  ]
}
