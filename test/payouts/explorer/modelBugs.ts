/** Bugs where SQL or effects decide in the product: they wrap the model's own rules and statements. */
import { type Bugs, moduleAt } from "../../support/simulation/plant.ts"

const rules = moduleAt<typeof import("./rules.ts")>("test/payouts/explorer/rules.ts")
const statements = moduleAt<typeof import("./statements.ts")>("test/payouts/explorer/statements.ts")

const states = ["sending", "unknown", "undecided", "ready", "accepted", "refused"] as const

export const modelBugs: Bugs = {
  /** A worker that slept sends after its intent has expired. */
  "an intent does not expire": [rules({ mayStart: () => () => true })],
  /** A step applies to whatever the payout has become. */
  "no compare-and-swap": [
    rules({
      stateAfter: (stateAfter) => (now, move) =>
        states
          .map((state) => stateAfter({ ...now, state, attempt: move.attempt }, move))
          .find((state) => state !== undefined)
    })
  ],
  /** Payouts that nothing tells apart are claimed at once. */
  "no guard of twins": [
    rules({
      claimable: (claimable) => (world, due) => claimable({ ...world, areTwins: false }, due)
    })
  ],
  /** The guard of a twin ends when it is sent. */
  "an unknown twin is not guarded": [rules({ staysGuarded: () => () => false })],
  /** A history without rows under a filter counts as complete. */
  "an empty filter is believed": [rules({ filtered: () => () => [] })],
  /** Claims go on after the database went back. */
  "no comparison after a change": [
    rules({
      claimable: (claimable) => (world, due) => claimable({ ...world, isCompared: true }, due)
    })
  ],
  /** The comparison does not wait for the history. */
  "the comparison begins at once": [rules({ isQuiet: () => () => true })],
  /** What is known of an attempt that the database has forgotten is dropped. */
  "a forgotten attempt is dropped": [
    rules({
      stateAfter: (stateAfter) => (now, move) => (now.attempt < move.attempt ? undefined : stateAfter(now, move))
    })
  ],
  /** A sender says of another claim of the same attempt that nothing was sent. */
  "a claim is as good as another": [
    rules({
      stateAfter: (stateAfter) => (now, move) => stateAfter({ ...now, claim: move.claim }, move)
    })
  ],
  /** A payout with an alarm stops nothing. */
  "an alarm stops nothing": [
    rules({
      claimable: (claimable) => (world, due) =>
        claimable({ ...world, rows: world.rows.map((row) => ({ ...row, alarm: undefined })) }, due)
    })
  ],
  /** A foreign row makes no payout undecided. */
  "no suspicion": [rules({ suspectsOf: () => () => [] })],
  /** Of equal foreign rows, the evidence names one. */
  "one suspect is named": [
    rules({
      suspectsOf:
        (suspectsOf) =>
        (...given) =>
          suspectsOf(...given).slice(0, 1)
    })
  ],
  /** A payout that was tried before is not suspected. */
  "what was tried before is not suspected": [
    rules({
      suspectsOf: (suspectsOf) => (world, free, row) =>
        world.rows[row]!.attempt > 0 ? [] : suspectsOf(world, free, row)
    })
  ],
  /** The payouts are not compared with the foreign rows. */
  "a foreign row is never compared": [
    statements({
      compareUnsent: () => (world) => world
    })
  ]
}
