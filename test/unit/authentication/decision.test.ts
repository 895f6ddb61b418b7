import { Session } from "@effect-custody/authentication"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as SessionMachine from "../../../packages/authentication/src/internal/decision/model.ts"
import { chance } from "../../simulation/session/chance.ts"

const environment = "https://acme.custody.example/api/integration"
const identity = { name: "acme", environment }
const now = 1_000_000

const sessionOf = (generation: number, startedAt = 1): Session.Session => ({
  generation,
  startedAt,
  accessToken: Redacted.make(`at-${startedAt}-${generation}`),
  refreshToken: Redacted.make(`rt-${startedAt}-${generation}`),
  obtainedAt: now - 1_000
})
const key = { apiKey: Redacted.make("key"), fingerprint: "fp" }
const lease = (owner: string): Session.Lease => ({ owner, renewedAt: now - 5_000 })
const refreshIntent = (ambiguous: boolean, generation = 1): Session.RefreshIntent => ({
  _tag: "Refresh",
  generation,
  since: now - 5_000,
  ambiguous
})

const recordOf = (parts: Partial<Session.SessionRecord> = {}): Session.SessionRecord => ({
  environment,
  session: sessionOf(1),
  spentKeys: [],
  ...parts
})
const lost: Session.End = { _tag: "Lost", generation: 1, at: now - 1 }
const invalid: Session.End = { _tag: "Invalid", generation: 1, at: now - 1, reason: "HTTP 422" }

const refresh = (dead = true, generation = 1): SessionMachine.Purpose => ({
  _tag: "Refresh",
  session: sessionOf(generation),
  dead
})
const start = (parts: Partial<SessionMachine.Start> = {}): SessionMachine.Purpose => ({
  _tag: "Start",
  key,
  replaces: false,
  ...parts
})

const plan = (
  record: Session.SessionRecord,
  purpose: SessionMachine.Purpose,
  parts: Partial<SessionMachine.Requested> = {}
) =>
  SessionMachine.plan(identity, record, {
    _tag: "Requested",
    purpose,
    owner: "me",
    sent: false,
    held: undefined,
    leaseIsDead: false,
    now,
    longestPause: 60_000,
    ...parts
  })

const settle = (
  record: Session.SessionRecord,
  purpose: SessionMachine.Purpose,
  reading: SessionMachine.Answered["reading"],
  parts: Partial<SessionMachine.Answered> = {}
) =>
  SessionMachine.settle(identity, record, {
    _tag: "Answered",
    purpose,
    owner: "me",
    reading,
    earlier: undefined,
    leaseIsDead: false,
    now,
    retryAt: now + 5_000,
    ...parts
  })

const tokens = (refreshToken: string | undefined = "rt-new"): SessionMachine.Answered["reading"] => ({
  _tag: "Tokens",
  accessToken: Redacted.make("at-new"),
  refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
  expiresAt: now + 900_000,
  vaultId: 7
})
const noTokens = { ...tokens(), refreshToken: undefined } as SessionMachine.Answered["reading"]
const unchanged = { _tag: "Unchanged", reason: "HTTP 429", retryAfter: Duration.seconds(1) } as const
const unanswered = { _tag: "Unanswered", reason: "ECONNRESET" } as const
const refused = { _tag: "Refused", reason: "HTTP 401" } as const
const malformed = { _tag: "Malformed", reason: "HTTP 422" } as const

type Row = readonly [state: string, record: Session.SessionRecord, expected: string]

describe("what is planned when something is wanted", () => {
  const taken = recordOf({ lease: lease("other"), intent: refreshIntent(false) })
  const elsewhere = recordOf({ environment: "https://other.example" })
  const ofRefresh: ReadonlyArray<Row> = [
    ["of another environment", elsewhere, "Fail"],
    ["gone", { environment, spentKeys: [] }, "Send"],
    ["serving", recordOf(), "Send"],
    ["newer", recordOf({ session: sessionOf(2) }), "Adopt"],
    ["started anew", recordOf({ session: sessionOf(0, 2) }), "Adopt"],
    ["newer, and leased", recordOf({ session: sessionOf(2), lease: lease("other") }), "Adopt"],
    ["leased by another", taken, "Wait"],
    ["leased by us, and never sent", recordOf({ lease: lease("me"), intent: refreshIntent(false) }), "Send"],
    ["ambiguous", recordOf({ intent: refreshIntent(true) }), "Send"],
    ["lost", recordOf({ end: lost }), "Fail"],
    ["invalid", recordOf({ end: invalid }), "Fail"],
    ["newer than its end", recordOf({ end: { ...lost, generation: 0 } }), "Send"],
    ["newer, and lost", recordOf({ session: sessionOf(2), end: { ...lost, generation: 2 } }), "Fail"],
    ["tried in vain just now", recordOf({ intent: { ...refreshIntent(true), retryAt: now + 1 } }), "Pause"],
    [
      "tried in vain, by a clock far ahead",
      recordOf({ intent: { ...refreshIntent(true), retryAt: now + 60_001 } }),
      "Send"
    ],
    ["tried in vain a while ago", recordOf({ intent: { ...refreshIntent(true), retryAt: now } }), "Send"]
  ]
  for (const [state, record, expected] of ofRefresh) {
    it(`a refresh of a dead token, ${state}: ${expected}`, () =>
      assert.strictEqual(plan(record, refresh())._tag, expected))
  }

  it("29 · the end of an older session, in a backup, is not taken for that of ours with the same number", () => {
    const ours = sessionOf(1, 2)
    const purpose = { _tag: "Refresh", session: ours, dead: true } as const
    const planned = plan(recordOf({ end: lost }), purpose, { held: ours })
    assert.deepInclude(planned, { _tag: "Send", secret: ours.refreshToken })
  })

  it("a token that serves is not risked while the refresh token is in doubt, whoever has sent it", () => {
    for (const record of [
      recordOf({ intent: refreshIntent(true) }),
      recordOf({ intent: refreshIntent(false) }),
      recordOf({
        intent: { _tag: "Start", fingerprint: "x", since: 1, ambiguous: true, pending: refreshIntent(true) }
      }),
      recordOf({ lease: lease("me"), intent: refreshIntent(true) })
    ]) {
      assert.deepInclude(plan(record, refresh(false)), { _tag: "Hold", ambiguousSince: now - 5_000 })
    }
    // In doubt for another generation only.
    assert.strictEqual(plan(recordOf({ intent: refreshIntent(true, 0) }), refresh(false))._tag, "Send")
  })

  it("a dead lease is taken over, and its intent counts as sent", () => {
    const decision = plan(taken, refresh(), { leaseIsDead: true })
    assert(decision._tag === "Send")
    assert.deepStrictEqual(decision.earlier, refreshIntent(false))
    assert.deepStrictEqual(decision.record.intent, { ...refreshIntent(true) })
    assert.deepStrictEqual(decision.record.lease, { owner: "me", renewedAt: now })
    assert.strictEqual(plan(taken, refresh(false), { leaseIsDead: true })._tag, "Hold")
  })

  it("an intent of our own that was never sent is as good as none; one that was sent is not", () => {
    const own = recordOf({ lease: lease("me"), intent: refreshIntent(false) })
    const fresh = plan(own, refresh(false))
    assert(fresh._tag === "Send")
    assert.isUndefined(fresh.earlier)
    assert.deepStrictEqual(fresh.record.intent, { _tag: "Refresh", generation: 1, since: now, ambiguous: false })
    assert.strictEqual(plan(own, refresh(false), { sent: true })._tag, "Hold")
  })

  it("the secret is the newest: of the record, or of what we hold", () => {
    const mine = plan(recordOf(), refresh())
    assert(mine._tag === "Send")
    assert.strictEqual(Redacted.value(mine.secret), "rt-1-1")
    const held = plan(recordOf({ session: sessionOf(0) }), refresh(), { held: sessionOf(1) })
    assert(held._tag === "Send")
    assert.strictEqual(Redacted.value(held.secret), "rt-1-1")
    assert.strictEqual(held.record.session?.generation, 1)
    const older = plan(recordOf(), refresh(), { held: sessionOf(0) })
    assert(older._tag === "Send")
    assert.strictEqual(older.record.session?.generation, 1)
  })

  const spent = { spentKeys: ["fp"] }
  const claim = { _tag: "Start", fingerprint: "fp", since: now - 5_000, ambiguous: false } as const
  const ofStart: ReadonlyArray<Row> = [
    ["of another environment", elsewhere, "Fail"],
    ["empty", { environment, spentKeys: [] }, "Send"],
    ["serving", recordOf(), "Adopt"],
    ["lost", recordOf({ end: lost }), "Send"],
    ["leased by another", { environment, spentKeys: [], lease: lease("other") }, "Wait"],
    ["empty, and the key was sent", { environment, ...spent }, "NeedKey"],
    ["sent by another that died", { environment, ...spent, intent: claim }, "NeedKey"],
    ["claimed by us, and never sent", { environment, ...spent, intent: claim, lease: lease("me") }, "Send"],
    [
      "claimed by us, for another key",
      { environment, ...spent, intent: { ...claim, fingerprint: "x" }, lease: lease("me") },
      "NeedKey"
    ]
  ]
  for (const [state, record, expected] of ofStart) {
    it(`a start, ${state}: ${expected}`, () => assert.strictEqual(plan(record, start())._tag, expected))
  }

  it("a start without a key waits, adopts, and needs one", () => {
    assert.strictEqual(plan(recordOf(), start({ key: undefined }))._tag, "Adopt")
    assert.strictEqual(plan(taken, start({ key: undefined, replaces: true }))._tag, "Adopt")
    const need = plan(recordOf({ end: lost }), start({ key: undefined }))
    assert(need._tag === "NeedKey")
    assert.strictEqual(need.end?._tag, "SessionLost")
    const sent = plan(recordOf({ end: invalid, ...spent }), start())
    assert(sent._tag === "NeedKey")
    assert.strictEqual(sent.end?._tag, "StoredSessionInvalid")
    assert.include(sent.error.message, "it was sent before")
  })

  it("a key that was never sent replaces a session, and what is in doubt of it is kept; one that was does not", () => {
    const decision = plan(recordOf({ intent: refreshIntent(true) }), start({ replaces: true }))
    assert(decision._tag === "Send")
    assert.deepStrictEqual(decision.record.spentKeys, ["fp"])
    assert.deepStrictEqual(decision.record.intent, {
      _tag: "Start",
      fingerprint: "fp",
      since: now,
      ambiguous: false,
      pending: refreshIntent(true)
    })
    assert.strictEqual(plan(recordOf(spent), start({ replaces: true }))._tag, "Adopt")
  })
})

describe("what is settled when an answer is there", () => {
  const claimed = recordOf({ lease: lease("me"), intent: refreshIntent(false) })
  const takenOver = recordOf({ lease: lease("other"), intent: refreshIntent(true) })

  it("new tokens make the next generation, free of lease, intent and end", () => {
    for (const record of [claimed, takenOver, recordOf({ end: lost })]) {
      const decision = settle(record, refresh(), tokens())
      assert(decision._tag === "Publish")
      assert.hasAllKeys(decision.record, ["environment", "session", "spentKeys"])
      assert.deepInclude(decision.session, { generation: 2, startedAt: 1, obtainedAt: now, expiresAt: now + 900_000 })
      assert.strictEqual(Redacted.value(decision.session.refreshToken), "rt-new")
    }
  })

  it("without a new refresh token, or with the same, the next generation is in doubt from the start", () => {
    for (const reading of [noTokens, tokens("rt-1-1")]) {
      const decision = settle(claimed, refresh(), reading)
      assert(decision._tag === "Publish")
      assert.deepStrictEqual(decision.record.intent, { _tag: "Refresh", generation: 2, since: now, ambiguous: true })
      assert.strictEqual(Redacted.value(decision.session.refreshToken), "rt-1-1")
    }
  })

  it("whatever was answered, a newer session in the store is adopted", () => {
    for (const session of [sessionOf(2), sessionOf(0, 2)]) {
      for (const reading of [tokens(), unchanged, unanswered, refused, malformed]) {
        assert.strictEqual(settle(recordOf({ session }), refresh(), reading)._tag, "Adopt")
      }
    }
  })

  it("a record that another has taken over is left alone", () => {
    for (const reading of [unchanged, unanswered, refused, malformed]) {
      assert.strictEqual(settle(takenOver, refresh(), reading)._tag, "Defer")
      assert.strictEqual(settle({ ...takenOver, spentKeys: ["fp"] }, start(), reading)._tag, "Defer")
      assert.notStrictEqual(settle(takenOver, refresh(), reading, { leaseIsDead: true })._tag, "Defer")
    }
  })

  it("nothing happened: what was in doubt before still is, and nothing else", () => {
    const plain = settle(claimed, refresh(), unchanged)
    assert(plain._tag === "Release")
    assert.deepStrictEqual(plain.record, recordOf())
    const before = settle(claimed, refresh(), unchanged, { earlier: refreshIntent(true) })
    assert(before._tag === "Release")
    assert.deepStrictEqual(before.record, recordOf({ intent: refreshIntent(true) }))
    assert.strictEqual(before.ambiguousSince, now - 5_000)
    // Released by another meanwhile: there is nothing to write.
    const other = settle(recordOf({ intent: refreshIntent(true) }), refresh(), unchanged)
    assert(other._tag === "Release")
    assert.isUndefined(other.record)
  })

  it("no answer: in doubt since it was sent; after one more, not again before a while", () => {
    const first = settle(claimed, refresh(), unanswered)
    assert(first._tag === "Release")
    assert.deepStrictEqual(first.record, recordOf({ intent: refreshIntent(true) }))
    assert.strictEqual(first.ambiguousSince, now - 5_000)
    const again = settle(claimed, refresh(), unanswered, { earlier: { ...refreshIntent(true), since: 5 } })
    assert(again._tag === "Release")
    assert.deepStrictEqual(again.record?.intent, { ...refreshIntent(true), since: 5, retryAt: now + 5_000 })
  })

  it("refused: lost, with the time of the answer that never came if there was one; the tokens are kept", () => {
    const plain = settle(claimed, refresh(), refused)
    assert(plain._tag === "End" && plain.error._tag === "SessionLost")
    assert.isFalse("answerLostAt" in plain.error)
    assert.deepStrictEqual(plain.record, recordOf({ end: { _tag: "Lost", generation: 1, at: now } }))
    const after = settle(claimed, refresh(), refused, { earlier: refreshIntent(true) })
    assert(after._tag === "End" && after.error._tag === "SessionLost")
    assert.strictEqual(after.error.answerLostAt?.epochMilliseconds, now - 5_000)
    const another = settle(recordOf({ intent: refreshIntent(true) }), refresh(), refused)
    assert(another._tag === "End" && another.error._tag === "SessionLost")
    assert.strictEqual(another.error.answerLostAt?.epochMilliseconds, now - 5_000)
  })

  it("malformed: invalid, with the reason", () => {
    const decision = settle(claimed, refresh(), malformed)
    assert(decision._tag === "End" && decision.error._tag === "StoredSessionInvalid")
    assert.strictEqual(decision.error.reason, "HTTP 422")
    assert.strictEqual(decision.record.session?.generation, 1)
    assert.strictEqual(decision.record.end?._tag, "Invalid")
  })

  const starting: Session.SessionRecord = {
    ...recordOf({ end: lost, lease: lease("me"), spentKeys: ["old", "fp"] }),
    intent: { _tag: "Start", fingerprint: "fp", since: now, ambiguous: false, pending: refreshIntent(true) }
  }

  it("a key's tokens begin a new session, later than every other, of the next generation", () => {
    const decision = settle(starting, start(), tokens())
    assert(decision._tag === "Publish")
    assert.deepInclude(decision.session, { generation: 2, startedAt: now, vaultId: 7 })
    assert.hasAllKeys(decision.record, ["environment", "session", "spentKeys"])
    const ahead = settle({ ...starting, session: sessionOf(1, now + 10) }, start(), tokens())
    assert(ahead._tag === "Publish")
    assert.strictEqual(ahead.session.startedAt, now + 11)
    const first = settle({ environment, spentKeys: ["fp"] }, start(), tokens())
    assert(first._tag === "Publish")
    assert.strictEqual(first.session.generation, 0)
  })

  const ends = [
    { name: "unchanged", reading: unchanged, spentKeys: ["old"], intent: refreshIntent(true) },
    { name: "refused", reading: refused, spentKeys: ["old", "fp"], intent: refreshIntent(true) },
    { name: "malformed", reading: malformed, spentKeys: ["old", "fp"], intent: refreshIntent(true) },
    {
      name: "tokens without a refresh token",
      reading: noTokens,
      spentKeys: ["old", "fp"],
      intent: refreshIntent(true)
    },
    {
      name: "unanswered",
      reading: unanswered,
      spentKeys: ["old", "fp"],
      intent: { ...starting.intent!, ambiguous: true }
    }
  ]
  for (const { intent, name, reading, spentKeys } of ends) {
    it(`a key, ${name}: only a key that was certainly not used may be sent again, and nothing else is forgotten`, () => {
      const decision = settle(starting, start(), reading)
      assert(decision._tag === "End")
      assert.strictEqual(decision.error._tag, "NoSession")
      assert.deepStrictEqual(decision.record, recordOf({ end: lost, spentKeys, intent }))
    })
  }
})

describe("reconcile", () => {
  it("writes over what is older, and never over what is not", () => {
    const ours = recordOf({ session: sessionOf(2), spentKeys: ["a"] })
    assert.isUndefined(SessionMachine.reconcile(recordOf({ session: sessionOf(2) }), ours))
    assert.isUndefined(SessionMachine.reconcile(recordOf({ session: sessionOf(3) }), ours))
    assert.isUndefined(SessionMachine.reconcile(recordOf({ session: sessionOf(0, 2) }), ours))
    const { session: _, ...none } = ours
    assert.isUndefined(SessionMachine.reconcile(recordOf(), none))
    assert.deepStrictEqual(
      SessionMachine.reconcile(recordOf({ spentKeys: ["b", "a"], lease: lease("other"), end: lost }), ours),
      { ...ours, spentKeys: ["b", "a"] }
    )
    assert.deepStrictEqual(SessionMachine.reconcile({ environment, spentKeys: [] }, ours), ours)
  })

  it("a session that began later has the higher generation, whatever it was made from", () => {
    const ours = recordOf({ session: sessionOf(1, 2) })
    const merged = SessionMachine.reconcile(recordOf({ session: sessionOf(9, 1) }), ours)
    assert.strictEqual(merged?.session?.generation, 10)
  })
})

describe("laws of the machine, over 20,000 random records and events", () => {
  const { happens, integer, of } = chance(7, 0)
  const sessions = [undefined, sessionOf(0), sessionOf(1), sessionOf(2), sessionOf(0, 2), sessionOf(3, 2)]
  const maybe = <A>(value: A): A | undefined => (happens(0.5) ? value : undefined)
  const randomRecord = (): Session.SessionRecord => {
    const session = of(sessions)
    const leaseOf = maybe(lease(of(["me", "other"])))
    const pending = maybe(refreshIntent(happens(0.5), integer(0, 2)))
    const start: Session.Intent = {
      _tag: "Start",
      fingerprint: of(["fp", "x"]),
      since: now,
      ambiguous: happens(0.5),
      ...(pending === undefined ? {} : { pending })
    }
    const intent = maybe(of<Session.Intent>([refreshIntent(happens(0.5), integer(0, 3)), start]))
    const end = maybe(of<Session.End>([lost, invalid, { ...lost, generation: 0 }]))
    return {
      environment: happens(0.05) ? "https://other.example" : environment,
      spentKeys: happens(0.5) ? ["fp"] : [],
      ...(session === undefined ? {} : { session }),
      ...(leaseOf === undefined ? {} : { lease: leaseOf }),
      ...(intent === undefined ? {} : { intent }),
      ...(end === undefined ? {} : { end })
    }
  }
  const randomPurpose = () =>
    happens(0.6)
      ? ({ _tag: "Refresh", session: of(sessions.slice(1))!, dead: happens(0.5) } as const)
      : start({ key: maybe(key), replaces: happens(0.5) })
  const many = (law: (record: Session.SessionRecord) => void) => {
    for (let index = 0; index < 20_000; index++) law(randomRecord())
  }

  it("I4: no record that is written has an older session, or none where there was one", () =>
    many((record) => {
      const purpose = randomPurpose()
      const leaseIsDead = happens(0.5)
      const planned = plan(record, purpose, { held: of(sessions), leaseIsDead, sent: happens(0.5) })
      const settled = settle(record, purpose, of([tokens(), noTokens, unchanged, unanswered, refused, malformed]), {
        leaseIsDead
      })
      const written = [planned, settled].map((decision) => ("record" in decision ? decision.record : undefined))
      const merged = SessionMachine.reconcile(record, randomRecord())
      for (const next of [...written, merged]) {
        if (next === undefined || record.session === undefined) continue
        assert.isDefined(next.session)
        assert.isFalse(Session.isNewer(record.session, next.session))
      }
    }))

  it("I1: nothing is sent, and nothing but new tokens written, under the living lease of another", () =>
    many((record) => {
      const purpose = randomPurpose()
      const isTaken = record.lease?.owner === "other"
      const planned = plan(record, purpose)
      if (isTaken) assert.include(["Adopt", "Wait", "Fail"], planned._tag)
      const settled = settle(record, purpose, of([tokens(), unchanged, unanswered, refused, malformed]))
      if (isTaken) assert.include(["Adopt", "Defer", "Publish"], settled._tag)
    }))

  it("I2: what is in doubt is sent for a dead access token only, and is then marked as sent before", () =>
    many((record) => {
      const purpose = randomPurpose()
      const planned = plan(record, purpose, { leaseIsDead: true, sent: true })
      if (planned._tag !== "Send") return
      assert.deepInclude(planned.record, { lease: { owner: "me", renewedAt: now } })
      const written = record.intent?._tag === "Start" ? record.intent.pending : record.intent
      if (purpose._tag === "Start") {
        assert.isFalse(record.spentKeys.includes("fp"))
        assert.isTrue(planned.record.spentKeys.includes("fp"))
      } else if (written !== undefined && written.generation === planned.record.session?.generation) {
        assert.isTrue(purpose.dead)
        assert.isTrue(planned.record.intent?.ambiguous)
      }
    }))

  it("I5: only a refusal ends a session, and a doubt is never forgotten but by new tokens or a refusal", () =>
    many((record) => {
      const purpose = randomPurpose()
      const reading = of([unchanged, unanswered, refused, malformed])
      const earlier = purpose._tag === "Refresh" ? maybe(refreshIntent(true, purpose.session.generation)) : undefined
      const settled = settle(record, purpose, reading, { earlier })
      if (settled._tag === "End" && purpose._tag === "Refresh") assert.include(["Refused", "Malformed"], reading._tag)
      if (settled._tag === "Release" && settled.record !== undefined && purpose._tag === "Refresh") {
        const isDoubtful = earlier !== undefined || reading._tag === "Unanswered"
        if (isDoubtful) assert.isDefined(settled.record.intent)
      }
    }))
})
