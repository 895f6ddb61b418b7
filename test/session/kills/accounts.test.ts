import { assert, describe, it } from "@effect/vitest"
import { makeAccount, explainExtras, brokenClaims, type Loss, type Observations } from "./accounts.ts"
import { type Entry, findHolds } from "./history.ts"
import type { Phase } from "./protocol.ts"

const lease = 10_000
const identity = "session 1"

const does = (at: number, worker: string, what: Phase, generation = 3): Entry => ({
  at,
  worker,
  what,
  identity,
  generation
})
const befalls = (at: number, worker: string, what: "killed" | "stopped" | "resumed"): Entry => ({ at, worker, what })

/** A turn of a worker until its secret is sent. */
const sends = (at: number, worker: string, generation = 3): ReadonlyArray<Entry> => [
  does(at, worker, "claims", generation),
  does(at + 1, worker, "claimed", generation),
  does(at + 2, worker, "sends", generation)
]

const observe = (history: ReadonlyArray<Entry>, more: Partial<Observations> = {}): Observations => ({
  leaseMillis: lease,
  history,
  refreshes: [],
  rotations: 0,
  keysRefused: 0,
  losses: [],
  recordChecks: 1,
  torn: [],
  ...more
})

const beyond = (history: ReadonlyArray<Entry>) => explainExtras(2, findHolds(history, lease))

const killedHolder = [...sends(0, "a"), befalls(10, "a", "killed")]
const pausedHolder = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(11_000, "a", "resumed")]
const successor = [...sends(10_100, "b"), does(10_150, "b", "stored", 4)]

const frozen = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(6_000, "a", "resumed")]
const withKey = sends(0, "a", -1)

describe("explainExtras", () => {
  it.each<readonly [string, "afterKill" | "pausedHolder" | "unexplained", ReadonlyArray<Entry>]>([
    ["a refresh after a killed holder is explained by the kill", "afterKill", [...killedHolder, ...successor]],
    [
      "a refresh by a holder that was frozen past its lease is explained by the pause",
      "pausedHolder",
      [...pausedHolder, ...successor]
    ],
    [
      "a second refresh without a kill or a freeze is unexplained",
      "unexplained",
      [...sends(0, "a"), does(40, "a", "stored", 4), ...successor]
    ],
    ["a second refresh after a short freeze is unexplained", "unexplained", [...frozen, ...successor]],
    ["a refresh that a turn sends twice is unexplained", "unexplained", [...sends(0, "a"), does(4, "a", "sends")]],
    ["a refresh without a sender is unexplained", "unexplained", killedHolder]
  ])("%s", (_, why, history) => {
    const none = { afterKill: 0, pausedHolder: 0, unexplained: 0 }
    assert.deepStrictEqual(beyond(history), { ...none, [why]: 1 })
  })
})

const loss = (generation: number, served: number): ReadonlyArray<Loss> => [{ identity, generation, served, at: 0 }]

describe("brokenClaims", () => {
  it.each<readonly [string, Observations, broken: RegExp]>([
    ["a torn record breaks a claim", observe([], { torn: ["session 1: older"] }), /session 1: older/],
    ["a key that the service refuses breaks a claim", observe([], { keysRefused: 1 }), /that the service refused: 1/],
    [
      "a key that is sent twice breaks a claim",
      observe([...withKey, ...sends(10_100, "b", -1)]),
      /keys that were sent twice: 1/
    ],
    [
      "an unexplained refresh breaks a claim",
      observe([], { refreshes: [{ identity, generation: 3, received: 2 }] }),
      /: 1/
    ],
    ["a loss of an unused token breaks a claim", observe(killedHolder, { losses: loss(3, 3) }), /lost for nothing/],
    [
      "a loss without a sent secret breaks a claim",
      observe([does(0, "a", "claims")], { losses: loss(3, 4) }),
      /lost for nothing/
    ],
    [
      "a loss with a live holder breaks a claim",
      observe(frozen, { losses: loss(3, 4) }),
      /though the answer had arrived: session 1 at 3/
    ]
  ])("%s", (_, run, expected) => assert.match(brokenClaims(makeAccount(run)).join(), expected))
})
