import { assert, describe, it } from "@effect/vitest"
import { accountOf, beyondOne, broken, type Seen } from "./accounts.ts"
import { adoptions, type Entry, holdsOf, takeOvers } from "./history.ts"
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

const seen = (history: ReadonlyArray<Entry>, more: Partial<Seen> = {}): Seen => ({
  leaseMillis: lease,
  history,
  refreshes: [{ identity, generation: 3, received: 2 }],
  rotations: 1,
  keysRefused: 0,
  losses: [],
  looks: 1,
  torn: [],
  ...more
})

const beyond = (history: ReadonlyArray<Entry>) => beyondOne(2, holdsOf(history, lease))

const killedHolder = [...sends(0, "a"), befalls(10, "a", "killed")]
const pausedHolder = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(11_000, "a", "resumed")]
const successor = [...sends(10_100, "b"), does(10_150, "b", "stored", 4)]

describe("the account of a run with kills", () => {
  it("2 · a second refresh after a killed holder is one that is allowed", () => {
    assert.deepStrictEqual(beyond([...killedHolder, ...successor]), { afterKill: 1, pausedHolder: 0, unexplained: 0 })
  })

  it("22 · one of a holder that was frozen past its lease is counted as such", () => {
    assert.deepStrictEqual(beyond([...pausedHolder, ...successor]), { afterKill: 0, pausedHolder: 1, unexplained: 0 })
  })

  it("I1 · a second refresh while all are well is unexplained, and breaks a claim", () => {
    const history = [...sends(0, "a"), does(40, "a", "stored", 4), ...sends(20, "b"), does(60, "b", "adopted", 4)]
    const account = accountOf(seen(history))
    assert.deepStrictEqual(account.beyond, { afterKill: 0, pausedHolder: 0, unexplained: 1 })
    assert.match(broken(account).join(), /that nothing explains: 1/)
  })

  it("I1 · a short freeze does not explain it, nor a kill after the end was stored or before it was sent", () => {
    const frozen = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(5_000, "a", "resumed")]
    const done = [...sends(0, "a"), does(40, "a", "stored", 4), befalls(50, "a", "killed")]
    const unsent = [does(0, "c", "claims"), does(1, "c", "claimed"), befalls(2, "c", "killed"), ...sends(10, "a")]
    for (const history of [frozen, done, unsent]) {
      assert.strictEqual(beyond([...history, ...successor]).unexplained, 1)
    }
  })

  it("I2 · a turn that sends its token twice, and a refresh that nobody sent, are unexplained", () => {
    assert.strictEqual(beyond([...sends(0, "a"), does(4, "a", "sends"), befalls(9, "a", "killed")]).unexplained, 1)
    assert.strictEqual(beyond(killedHolder).unexplained, 1)
  })

  it("I2 · a key that is sent twice breaks a claim, whoever was killed with it", () => {
    const history = [...sends(0, "a", -1), befalls(10, "a", "killed"), ...sends(10_100, "b", -1)]
    assert.match(broken(accountOf(seen(history, { refreshes: [] }))).join(), /API keys that were sent twice: 1/)
  })

  it("I2 · a key that the service refuses breaks a claim, whatever the workers said", () => {
    assert.match(broken(accountOf(seen([], { refreshes: [], keysRefused: 1 }))).join(), /that the service refused: 1/)
  })

  it("I2 · a key whose request never left may be sent again; one that may have been used may not", () => {
    const again = (end: Phase) => [...sends(0, "a", -1), does(10, "a", end, -1), ...sends(20, "b", -1)]
    const twice = (end: Phase) => accountOf(seen(again(end), { refreshes: [] })).keysSentTwice
    assert.deepStrictEqual([twice("withdrawn"), twice("released")], [0, 1])
    // Whoever withdrew it has no answer: it was lost with the one that sent it and was killed.
    const killed = [...again("withdrawn"), befalls(30, "b", "killed")]
    const loss = { identity, generation: -1, served: 0, at: 40 }
    const lost = (history: ReadonlyArray<Entry>) => broken(accountOf(seen(history, { refreshes: [], losses: [loss] })))
    assert.deepStrictEqual(lost(killed), [])
    // The service has given tokens for a key that nobody has used, as they say: whoever else was killed.
    const unused = [...sends(0, "a", -1), does(10, "a", "withdrawn", -1)]
    const frozen = [...sends(0, "a", -1), befalls(30, "a", "stopped"), befalls(11_000, "a", "resumed")]
    const claiming = [does(70, "b", "claims", -1), befalls(71, "b", "killed")]
    for (const history of [
      [...unused, ...claiming],
      [...frozen, does(11_010, "a", "withdrawn", -1)]
    ]) {
      assert.match(lost(history).join(), /lost though the answer had arrived: session 1 at -1/)
    }
  })

  it("55 · a key that was claimed by a worker that was killed is for the next one; from its mark on it may be lost", () => {
    const lost = (...history: ReadonlyArray<Entry>) => {
      const loss = { identity, generation: -1, served: -1, at: 9_000 }
      return accountOf(seen(history, { refreshes: [], losses: [loss] })).lostForNothing.length
    }
    const claims = does(0, "a", "claims", -1)
    assert.strictEqual(lost(claims, befalls(2, "a", "killed")), 1)
    assert.strictEqual(lost(claims, does(1, "a", "claimed", -1), befalls(2, "a", "killed")), 0)
  })

  it("23 · a take-over counts from when the holder was gone and somebody was waiting who stayed", () => {
    const times = (...waits: ReadonlyArray<Entry>) => {
      const history = [...killedHolder, ...successor, ...waits]
      return takeOvers(history, holdsOf(history, lease)).map(({ millis }) => millis)
    }
    assert.deepStrictEqual(times(does(5, "b", "waits")), [10_091])
    assert.deepStrictEqual(times(does(5, "c", "waits"), befalls(6, "c", "killed"), does(4_101, "b", "waits")), [6_000])
    assert.deepStrictEqual(times(does(5, "c", "waits"), does(4_101, "b", "waits")), [10_091])
  })

  it("24 · a take-over counts by itself while the store fails: nobody can write to it", () => {
    const failed = { what: "failed", operation: "compareAndSwap", reason: "locked", worker: "b" } as const
    const hindered = (at: number) => {
      const history = [...killedHolder, does(5, "b", "waits"), { ...failed, at }, ...sends(15_000, "b")]
      return accountOf(seen(history, { refreshes: [] }))
    }
    assert.deepStrictEqual(hindered(11_000).takeOvers, [{ millis: 14_991, isHindered: true }])
    assert.deepStrictEqual(hindered(15_100).takeOvers, [{ millis: 14_991, isHindered: false }])
  })

  it("an adoption counts for those who were waiting before the commit", () => {
    const history = [...sends(0, "a"), does(5, "b", "waits"), does(40, "a", "stored", 4), does(60, "b", "adopted", 4)]
    assert.deepStrictEqual(adoptions(history), [20])
    assert.deepStrictEqual(adoptions([...history, does(50, "c", "waits"), does(70, "c", "adopted", 4)]), [20])
    assert.deepStrictEqual(adoptions([...history, befalls(50, "b", "stopped"), befalls(55, "b", "resumed")]), [])
  })

  it("I5 · a loss is for nothing unless its holder was killed or frozen, and the service had gone on", () => {
    const lost = (history: ReadonlyArray<Entry>, served: number) =>
      accountOf(seen(history, { refreshes: [], losses: [{ identity, generation: 3, served, at: 0 }] })).lostForNothing
        .length
    assert.strictEqual(lost(killedHolder, 4), 0)
    assert.strictEqual(lost(killedHolder, 3), 1)
    assert.strictEqual(lost([...pausedHolder, ...successor.slice(0, 3)], 4), 0)
    assert.strictEqual(lost([does(0, "a", "claims"), does(40, "a", "ended")], 4), 1)
  })

  it("22 · a loss is explained by a frozen holder whose token came when its successor had gone on, and by no other", () => {
    const later = [...successor, ...sends(11_500, "b", 4), does(11_550, "b", "stored", 5)]
    const late = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(12_000, "a", "resumed")]
    const unexplained = (history: ReadonlyArray<Entry>, received: number) =>
      accountOf(
        seen([...history, ...later], {
          refreshes: [{ identity, generation: 3, received }],
          losses: [{ identity, generation: 5, served: 5, at: 0 }]
        })
      ).lostForNothing.length
    assert.strictEqual(unexplained(late, 2), 0)
    assert.strictEqual(unexplained([...late, befalls(12_100, "a", "killed")], 2), 0)
    assert.strictEqual(unexplained(late, 1), 1)
    assert.strictEqual(unexplained(killedHolder, 2), 1)
    assert.strictEqual(unexplained(late.slice(0, 2).concat(late.slice(3)), 2), 1)
  })

  it("50 · a loss whose holder lives and sent alone is one of an answer that had arrived, and breaks a claim", () => {
    const lost = (...history: ReadonlyArray<Entry>) =>
      accountOf(seen(history, { refreshes: [], losses: [{ identity, generation: 3, served: 4, at: 0 }] }))
    const frozen = lost(...sends(0, "a"), befalls(10, "a", "stopped"), befalls(6_000, "a", "resumed"))
    assert.strictEqual(frozen.frozenSenders, 1)
    for (const account of [frozen, lost(...pausedHolder)]) {
      assert.strictEqual(account.lostAfterArrival.length, 1)
      assert.strictEqual(account.lostForNothing.length, 0)
      assert.match(broken(account).join(), /lost though the answer had arrived: session 1 at 3/)
    }
    // Others may send the token when the holder has given up, and be killed with it.
    const released = [...sends(0, "a"), befalls(10, "a", "stopped"), befalls(6_000, "a", "resumed")]
    const again = [does(6_010, "a", "released"), ...sends(6_100, "b"), befalls(6_110, "b", "killed")]
    assert.strictEqual(lost(...released, ...again).lostAfterArrival.length, 1)
    // The service says to whom it gave the tokens: one who says truly that nothing was sent is not to blame.
    const given = (firstBy: string, ...history: ReadonlyArray<Entry>) =>
      accountOf(
        seen(history, {
          refreshes: [{ identity, generation: 3, received: 2, firstBy }],
          losses: [{ identity, generation: 3, served: 4, at: 0 }]
        })
      )
    assert.strictEqual(given("a", ...released, ...again).lostAfterArrival.length, 1)
    assert.deepStrictEqual(broken(given("b", ...released, ...again)), [])
    assert.strictEqual(given("b", ...released, again[0]!, ...sends(6_100, "b")).lostAfterArrival.length, 1)
    // The service had given nothing: it had revoked the session before.
    const loss = { identity, generation: 3, served: 3, at: 0 }
    const revoked = accountOf(seen(pausedHolder, { refreshes: [], losses: [loss] }))
    assert.strictEqual(revoked.lostAfterArrival.length, 0)
    // Killed with it, or too late: somebody else has sent the token before it went on.
    const killedLater = [...pausedHolder, befalls(11_001, "a", "killed")]
    for (const account of [lost(...killedHolder), lost(...killedLater), lost(...pausedHolder, ...sends(10_100, "b"))]) {
      assert.strictEqual(account.lostAfterArrival.length, 0)
      assert.deepStrictEqual(broken(account), [])
    }
  })

  it("22 · a session that a holder, frozen past its lease, stored when it was resumed began late, and is not lost", () => {
    const lostAt = (at: number, ...history: ReadonlyArray<Entry>) =>
      accountOf(seen(history, { refreshes: [], losses: [{ identity, generation: -1, served: 0, at }] }))
    const lost = (...history: ReadonlyArray<Entry>) => lostAt(10_500, ...history)
    const frozen = [...sends(0, "a", -1), befalls(10, "a", "stopped"), befalls(11_000, "a", "resumed")]
    const late = lost(...frozen, does(11_010, "a", "stored", 0))
    assert.deepStrictEqual([late.begunLate, late.lost, broken(late)], [1, 0, []])
    // The others were told of none before it was frozen, or too soon after.
    for (const at of [5, 4_000]) {
      assert.strictEqual(lostAt(at, ...frozen, does(11_010, "a", "stored", 0)).lostAfterArrival.length, 1)
    }
    // It was never stored; or the others were told of none although its lease had not passed.
    const inTime = [...sends(0, "a", -1), befalls(10, "a", "stopped"), befalls(6_000, "a", "resumed")]
    for (const account of [lost(...frozen), lost(...inTime, does(6_010, "a", "stored", 0))]) {
      assert.deepStrictEqual([account.begunLate, account.lostAfterArrival.length], [0, 1])
    }
  })

  it("I4 · a torn record breaks a claim", () => {
    assert.match(broken(accountOf(seen([], { refreshes: [], torn: ["session 1: older"] }))).join(), /session 1: older/)
  })
})
