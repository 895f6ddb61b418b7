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
      "I1 · a second refresh without a kill or a freeze is unexplained",
      "unexplained",
      [...sends(0, "a"), does(40, "a", "stored", 4), ...successor]
    ],
    ["I1 · a second refresh after a short freeze is unexplained", "unexplained", [...frozen, ...successor]],
    ["I2 · a refresh that a turn sends twice is unexplained", "unexplained", [...sends(0, "a"), does(4, "a", "sends")]],
    ["I2 · a refresh without a sender is unexplained", "unexplained", killedHolder]
  ])("%s", (_, why, history) => {
    const none = { afterKill: 0, pausedHolder: 0, unexplained: 0 }
    assert.deepStrictEqual(beyond(history), { ...none, [why]: 1 })
  })
})

const loss = (generation: number, served: number, at = 0): ReadonlyArray<Loss> => [{ identity, generation, served, at }]

describe("brokenClaims", () => {
  it.each<readonly [string, Observations, broken: RegExp | undefined]>([
    ["I4 · a torn record breaks a claim", observe([], { torn: ["session 1: older"] }), /session 1: older/],
    [
      "I2 · a key that the service refuses breaks a claim",
      observe([], { keysRefused: 1 }),
      /that the service refused: 1/
    ],
    [
      "I2 · a key that is sent twice breaks a claim",
      observe([...withKey, ...sends(10_100, "b", -1)]),
      /keys that were sent twice: 1/
    ],
    [
      "I2 · a withdrawn key breaks no claim",
      observe([...withKey, does(10, "a", "withdrawn", -1), ...sends(20, "b", -1)]),
      undefined
    ],
    [
      "I1 · an unexplained refresh breaks a claim",
      observe([], { refreshes: [{ identity, generation: 3, received: 2 }] }),
      /: 1/
    ],
    ["I5 · a loss by a killed holder breaks no claim", observe(killedHolder, { losses: loss(3, 4) }), undefined],
    [
      "I5 · a loss of an unused token breaks a claim",
      observe(killedHolder, { losses: loss(3, 3) }),
      /lost for nothing/
    ],
    [
      "I5 · a loss without a sent secret breaks a claim",
      observe([does(0, "a", "claims")], { losses: loss(3, 4) }),
      /lost for nothing/
    ],
    [
      "a loss by a frozen holder and its successor breaks no claim",
      observe([...pausedHolder, ...successor.slice(0, 3)], { losses: loss(3, 4) }),
      undefined
    ],
    [
      "a loss with a live holder breaks a claim",
      observe(frozen, { losses: loss(3, 4) }),
      /though the answer had arrived: session 1 at 3/
    ],
    [
      "a claimed key of a killed worker breaks no claim",
      observe([...withKey.slice(0, 2), befalls(2, "a", "killed")], { losses: loss(-1, -1) }),
      undefined
    ],
    [
      "a session that began late breaks no claim",
      observe([...sends(0, "a", -1), ...pausedHolder.slice(3), does(11_010, "a", "stored", 0)], {
        losses: loss(-1, 0, 10_500)
      }),
      undefined
    ]
  ])("%s", (_, run, expected) => {
    const complaints = brokenClaims(makeAccount(run)).join()
    if (expected === undefined) assert.strictEqual(complaints, "")
    else assert.match(complaints, expected)
  })

  it("makeAccount blames only the receiver of the tokens for a loss", () => {
    const again = [does(6_010, "a", "released"), ...sends(6_100, "b"), befalls(6_110, "b", "killed")]
    const given = (firstBy: string) => {
      const refreshes = [{ identity, generation: 3, received: 2, firstBy }]
      return makeAccount(observe([...frozen, ...again], { refreshes, losses: loss(3, 4) })).lostAfterArrival.length
    }
    assert.deepStrictEqual([given("a"), given("b")], [1, 0])
  })

  it("only a frozen holder whose token arrived after its successor continued explains a later loss", () => {
    const later = [...successor, ...sends(11_500, "b", 4), does(11_550, "b", "stored", 5)]
    const lost = (history: ReadonlyArray<Entry>, received: number) => {
      const refreshes = [{ identity, generation: 3, received }]
      return makeAccount(observe([...history, ...later], { refreshes, losses: loss(5, 5) })).lostForNothing.length
    }
    assert.deepStrictEqual([lost(pausedHolder, 2), lost(pausedHolder, 1), lost(killedHolder, 2)], [0, 1, 1])
  })
})
