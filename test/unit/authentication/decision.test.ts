import { Session } from "@effect-custody/authentication"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type * as Model from "../../../packages/authentication/src/internal/decision/model.ts"
import { onRequest } from "../../../packages/authentication/src/internal/decision/onRequest.ts"
import {
  merge,
  onResponse,
  withoutClaim,
  withoutMark
} from "../../../packages/authentication/src/internal/decision/onResponse.ts"
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

/** Another session of the same generation, which began at the same time: after a restore, by a clock that is behind. */
const twin: Session.Session = {
  ...sessionOf(1),
  accessToken: Redacted.make("at-twin"),
  refreshToken: Redacted.make("rt-twin")
}

const recordOf = (parts: Partial<Session.SessionRecord> = {}): Session.SessionRecord => ({
  environment,
  session: sessionOf(1),
  spentKeys: [],
  ...parts
})
const lost: Session.End = { _tag: "Lost", generation: 1, at: now - 1 }
const invalid: Session.End = { _tag: "Invalid", generation: 1, at: now - 1, reason: "HTTP 422" }

const refresh = (dead = true, generation = 1): Model.Purpose => ({
  _tag: "Refresh",
  session: sessionOf(generation),
  accessTokenRejected: dead
})
const start = (parts: Partial<Model.Start> = {}): Model.Purpose => ({
  _tag: "Start",
  key,
  replaces: false,
  ...parts
})

const request = (record: Session.SessionRecord, purpose: Model.Purpose, parts: Partial<Model.Request> = {}) =>
  onRequest(identity, record, {
    purpose,
    owner: "me",
    sentAt: undefined,
    local: undefined,
    leaseState: "Alive",
    now,
    clockTolerance: 60_000,
    ...parts
  })

const respond = (
  record: Session.SessionRecord,
  purpose: Model.Purpose,
  response: Model.Response["response"],
  parts: Partial<Model.Response> = {}
) =>
  onResponse(identity, record, {
    purpose,
    owner: "me",
    response,
    priorIntent: undefined,
    leaseState: "Alive",
    now,
    retryAt: now + 5_000,
    ...parts
  })

const tokens = (refreshToken: string | undefined = "rt-new"): Model.Response["response"] => ({
  _tag: "Tokens",
  accessToken: Redacted.make("at-new"),
  refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
  expiresAt: now + 900_000,
  vaultId: 7
})
const noTokens = { ...tokens(), refreshToken: undefined } as Model.Response["response"]
const notSpent = { _tag: "NotSpent", phase: "Throttled", reason: "HTTP 429", retryAfter: Duration.seconds(1) } as const
const inDoubt = { _tag: "InDoubt", reason: "ECONNRESET", retryAfter: undefined } as const
const rejected = { _tag: "Rejected", reason: "HTTP 401" } as const
const malformed = { _tag: "Malformed", reason: "HTTP 422" } as const

type Row = readonly [state: string, record: Session.SessionRecord, expected: string]

describe("onRequest", () => {
  const taken = recordOf({ lease: lease("other"), intent: refreshIntent(false) })
  const elsewhere = recordOf({ environment: "https://other.example" })
  const ofRefresh: ReadonlyArray<Row> = [
    ["of another environment", elsewhere, "Fail"],
    ["gone", { environment, spentKeys: [] }, "Send"],
    ["serving", recordOf(), "Send"],
    ["newer", recordOf({ session: sessionOf(2) }), "Adopt"],
    ["started anew", recordOf({ session: sessionOf(0, 2) }), "Adopt"],
    ["another one that began at the same time", recordOf({ session: twin }), "Adopt"],
    ["newer, and leased", recordOf({ session: sessionOf(2), lease: lease("other") }), "Adopt"],
    ["leased by another", taken, "Wait"],
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
    [
      "told to wait for ten minutes",
      recordOf({ intent: { ...refreshIntent(true), retryAt: now + 600_000, pause: 600_000 } }),
      "Pause"
    ],
    [
      "told to wait for ten minutes, by a clock far ahead",
      recordOf({ intent: { ...refreshIntent(true), retryAt: now + 660_001, pause: 600_000 } }),
      "Send"
    ],
    ["tried in vain a while ago", recordOf({ intent: { ...refreshIntent(true), retryAt: now } }), "Send"]
  ]
  for (const [state, record, expected] of ofRefresh) {
    it(`a refresh of a dead token, ${state}: ${expected}`, () =>
      assert.strictEqual(request(record, refresh())._tag, expected))
  }

  it("29 · the end of an older session, in a backup, is not taken for that of ours with the same number", () => {
    const ours = sessionOf(1, 2)
    const purpose = { _tag: "Refresh", session: ours, accessTokenRejected: true } as const
    const planned = request(recordOf({ end: lost }), purpose, { local: ours })
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
      assert.deepInclude(request(record, refresh(false)), { _tag: "KeepServing", ambiguousSince: now - 5_000 })
    }
    // In doubt for another generation only.
    assert.strictEqual(request(recordOf({ intent: refreshIntent(true, 0) }), refresh(false))._tag, "Send")
  })

  it("a silent holder is asked whether it is alive, and nothing else is written", () => {
    for (const purpose of [refresh(), refresh(false), start({ replaces: true })]) {
      const asked = request(taken, purpose, { leaseState: "Silent" })
      assert(asked._tag === "Challenge")
      assert.deepStrictEqual(
        asked.record,
        recordOf({
          lease: { owner: "other", renewedAt: now - 5_000, isChallenged: true },
          intent: refreshIntent(false)
        })
      )
    }
    assert.strictEqual(request(recordOf({ lease: lease("me") }), refresh(), { leaseState: "Silent" })._tag, "Send")
  })

  it("a dead lease is taken over, and its intent counts as sent", () => {
    const decision = request(taken, refresh(), { leaseState: "Dead" })
    assert(decision._tag === "Send")
    assert.deepStrictEqual(decision.priorIntent, refreshIntent(false))
    assert.deepStrictEqual(decision.record.intent, { ...refreshIntent(true) })
    assert.deepStrictEqual(decision.record.lease, { owner: "me", renewedAt: now })
    assert.strictEqual(request(taken, refresh(false), { leaseState: "Dead" })._tag, "KeepServing")
  })

  it("what we have sent is in doubt, and so is a refresh token that came twice, even if the record does not say so", () => {
    assert.strictEqual(request(recordOf(), refresh(false), { sentAt: now - 9 })._tag, "KeepServing")
    const again = request(recordOf(), refresh(), { sentAt: now - 9 })
    assert(again._tag === "Send")
    assert.deepStrictEqual(again.record.intent, { ...refreshIntent(true), since: now - 9 })
    const session = { ...sessionOf(1), hasOldRefreshToken: true }
    const kept = request(recordOf({ session }), { _tag: "Refresh", session, accessTokenRejected: false })
    assert(kept._tag === "KeepServing")
    assert.strictEqual(kept.ambiguousSince, session.obtainedAt)
  })

  it("the secret is the newest: of the record, or of what we hold", () => {
    const mine = request(recordOf(), refresh())
    assert(mine._tag === "Send")
    assert.strictEqual(Redacted.value(mine.secret), "rt-1-1")
    const known = request(recordOf({ session: sessionOf(0) }), refresh(), { local: sessionOf(1) })
    assert(known._tag === "Send")
    assert.strictEqual(Redacted.value(known.secret), "rt-1-1")
    assert.strictEqual(known.record.session?.generation, 1)
    const older = request(recordOf(), refresh(), { local: sessionOf(0) })
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
    ["claimed by another that died, and never about to be sent", { environment, spentKeys: [], intent: claim }, "Send"],
    [
      "claimed by us, for another key",
      { environment, ...spent, intent: { ...claim, fingerprint: "x" }, lease: lease("me") },
      "NeedKey"
    ]
  ]
  for (const [state, record, expected] of ofStart) {
    it(`a start, ${state}: ${expected}`, () => assert.strictEqual(request(record, start())._tag, expected))
  }

  it("a start without a key waits, adopts, and needs one", () => {
    assert.strictEqual(request(recordOf(), start({ key: undefined }))._tag, "Adopt")
    assert.strictEqual(request(taken, start({ key: undefined, replaces: true }))._tag, "Adopt")
    const need = request(recordOf({ end: lost }), start({ key: undefined }))
    assert(need._tag === "NeedKey")
    assert.strictEqual(need.end?._tag, "SessionLost")
    const sent = request(recordOf({ end: invalid, ...spent }), start())
    assert(sent._tag === "NeedKey")
    assert.strictEqual(sent.end?._tag, "StoredSessionInvalid")
    assert.include(sent.error.message, "it was sent before")
  })

  it("a key that was never sent replaces a session, and what is in doubt of it is kept; one that was does not", () => {
    const decision = request(recordOf({ intent: refreshIntent(true) }), start({ replaces: true }))
    assert(decision._tag === "Send")
    // The claim does not burn the key: only the mark that is written right before it is sent.
    assert.deepStrictEqual(decision.record.spentKeys, [])
    assert.deepStrictEqual(decision.mark, { ...decision.record, spentKeys: ["fp me"] })
    assert.deepStrictEqual(decision.record.intent, {
      _tag: "Start",
      fingerprint: "fp",
      since: now,
      ambiguous: false,
      pending: refreshIntent(true)
    })
    assert.strictEqual(request(recordOf(spent), start({ replaces: true }))._tag, "Adopt")
  })
})

describe("onResponse", () => {
  const claimed = recordOf({ lease: lease("me"), intent: refreshIntent(false) })
  const takenOver = recordOf({ lease: lease("other"), intent: refreshIntent(true) })

  it("new tokens make the next generation, free of lease, intent and end", () => {
    for (const record of [claimed, takenOver, recordOf({ end: lost })]) {
      const decision = respond(record, refresh(), tokens())
      assert(decision._tag === "Store")
      assert.hasAllKeys(decision.record, ["environment", "session", "spentKeys"])
      assert.deepInclude(decision.session, { generation: 2, startedAt: 1, obtainedAt: now, expiresAt: now + 900_000 })
      assert.strictEqual(Redacted.value(decision.session.refreshToken), "rt-new")
    }
  })

  it("another session that began at the same time is left as it is, unless there are new tokens", () => {
    const record = recordOf({ session: twin })
    for (const response of [notSpent, inDoubt, rejected, malformed]) {
      assert.deepStrictEqual(respond(record, refresh(), response), { _tag: "Adopt", session: twin, record: undefined })
    }
    assert.strictEqual(respond(record, refresh(), tokens())._tag, "Store")
  })

  const decisionOf = (record: Session.SessionRecord, session: Session.Session): Session.Session => {
    const purpose: Model.Purpose = { _tag: "Refresh", session, accessTokenRejected: true }
    const decision = respond({ ...record, session }, purpose, tokens())
    assert(decision._tag === "Store")
    return decision.session
  }

  it("without a new refresh token, or with the same, the next generation is in doubt from the start", () => {
    for (const response of [noTokens, tokens("rt-1-1")]) {
      const decision = respond(claimed, refresh(), response)
      assert(decision._tag === "Store")
      assert.deepStrictEqual(decision.record.intent, { _tag: "Refresh", generation: 2, since: now, ambiguous: true })
      assert.strictEqual(Redacted.value(decision.session.refreshToken), "rt-1-1")
      assert.isTrue(decision.session.hasOldRefreshToken)
    }
    const { hasOldRefreshToken } = decisionOf(claimed, { ...sessionOf(1), hasOldRefreshToken: true })
    assert.isUndefined(hasOldRefreshToken)
  })

  it("whatever was answered, a newer session in the store is adopted", () => {
    for (const session of [sessionOf(2), sessionOf(0, 2)]) {
      for (const response of [tokens(), notSpent, inDoubt, rejected, malformed]) {
        assert.strictEqual(respond(recordOf({ session }), refresh(), response)._tag, "Adopt")
      }
    }
  })

  it("a newer session that has ended is not adopted, nor is its end taken for that of our token", () => {
    const record = recordOf({ session: sessionOf(2), end: { ...lost, generation: 2 } })
    for (const response of [notSpent, inDoubt, rejected, malformed]) {
      assert.strictEqual(respond(record, refresh(), response)._tag, "Defer")
    }
  })

  it("an old lease of ours on a session that we have not claimed is given back, and its token is in doubt", () => {
    const restored = recordOf({ session: sessionOf(2), lease: lease("me"), intent: refreshIntent(false, 2) })
    const decision = respond(restored, refresh(), inDoubt)
    assert(decision._tag === "Adopt")
    assert.deepStrictEqual(decision.record, recordOf({ session: sessionOf(2), intent: refreshIntent(true, 2) }))
    const other = respond(recordOf({ session: sessionOf(2), lease: lease("other") }), refresh(), inDoubt)
    assert(other._tag === "Adopt")
    assert.isUndefined(other.record)
  })

  it("a record that another has taken over is left alone", () => {
    for (const response of [notSpent, inDoubt, rejected, malformed]) {
      assert.strictEqual(respond(takenOver, refresh(), response)._tag, "Defer")
      assert.strictEqual(respond({ ...takenOver, spentKeys: ["fp"] }, start(), response)._tag, "Defer")
      assert.notStrictEqual(respond(takenOver, refresh(), response, { leaseState: "Dead" })._tag, "Defer")
    }
  })

  it("nothing happened: what was in doubt before still is, and nothing else", () => {
    const plain = respond(claimed, refresh(), notSpent)
    assert(plain._tag === "Release")
    assert.deepStrictEqual(plain.record, recordOf())
    const before = respond(claimed, refresh(), notSpent, { priorIntent: refreshIntent(true) })
    assert(before._tag === "Release")
    assert.deepStrictEqual(before.record, recordOf({ intent: refreshIntent(true) }))
    assert.strictEqual(before.ambiguousSince, now - 5_000)
    // Released by another meanwhile: there is nothing to write.
    const other = respond(recordOf({ intent: refreshIntent(true) }), refresh(), notSpent)
    assert(other._tag === "Release")
    assert.isUndefined(other.record)
  })

  it("a Retry-After on an answer in doubt is written for every process", () => {
    const asked = { ...inDoubt, reason: "HTTP 503", retryAfter: Duration.seconds(20) } as const
    const decision = respond(claimed, refresh(), asked)
    assert(decision._tag === "Release")
    assert.deepInclude(decision.record?.intent, { ambiguous: true, retryAt: now + 5_000, pause: 5_000 })
    assert.strictEqual(request(decision.record!, refresh())._tag, "Pause")
    assert.strictEqual(request(decision.record!, refresh(false))._tag, "KeepServing")
  })

  it("no answer: in doubt since it was sent; after one more, not again before a while", () => {
    const first = respond(claimed, refresh(), inDoubt)
    assert(first._tag === "Release")
    assert.deepStrictEqual(first.record, recordOf({ intent: refreshIntent(true) }))
    assert.strictEqual(first.ambiguousSince, now - 5_000)
    const again = respond(claimed, refresh(), inDoubt, { priorIntent: { ...refreshIntent(true), since: 5 } })
    assert(again._tag === "Release")
    assert.deepStrictEqual(again.record?.intent, {
      ...refreshIntent(true),
      since: 5,
      retryAt: now + 5_000,
      pause: 5_000
    })
  })

  it("rejected: lost, with the time of the answer that never came if there was one; the tokens are kept", () => {
    const plain = respond(claimed, refresh(), rejected)
    assert(plain._tag === "End" && plain.error._tag === "SessionLost")
    assert.isFalse("answerLostAt" in plain.error)
    assert.deepStrictEqual(plain.record, recordOf({ end: { _tag: "Lost", generation: 1, at: now } }))
    const after = respond(claimed, refresh(), rejected, { priorIntent: refreshIntent(true) })
    assert(after._tag === "End" && after.error._tag === "SessionLost")
    assert.strictEqual(after.error.answerLostAt?.epochMilliseconds, now - 5_000)
    const another = respond(recordOf({ intent: refreshIntent(true) }), refresh(), rejected)
    assert(another._tag === "End" && another.error._tag === "SessionLost")
    assert.strictEqual(another.error.answerLostAt?.epochMilliseconds, now - 5_000)
  })

  it("malformed: invalid, with the reason", () => {
    const decision = respond(claimed, refresh(), malformed)
    assert(decision._tag === "End" && decision.error._tag === "StoredSessionInvalid")
    assert.strictEqual(decision.error.reason, "HTTP 422")
    assert.strictEqual(decision.record.session?.generation, 1)
    assert.strictEqual(decision.record.end?._tag, "Invalid")
  })

  const starting: Session.SessionRecord = {
    ...recordOf({ end: lost, lease: lease("me"), spentKeys: ["old", "fp"], lastStartAt: now }),
    intent: { _tag: "Start", fingerprint: "fp", since: now, ambiguous: false, pending: refreshIntent(true) }
  }

  it("a key's tokens begin a new session, later than every other, of the next generation", () => {
    const decision = respond(starting, start(), tokens())
    assert(decision._tag === "Store")
    assert.deepInclude(decision.session, { generation: 2, startedAt: now, vaultId: 7 })
    assert.hasAllKeys(decision.record, ["environment", "session", "spentKeys", "lastStartAt"])
    const first = respond({ environment, spentKeys: ["fp"], lastStartAt: now }, start(), tokens())
    assert(first._tag === "Store")
    assert.strictEqual(first.session.generation, 0)
  })

  const ends = [
    { name: "refused", response: rejected, spentKeys: ["old", "fp"], intent: refreshIntent(true) },
    { name: "malformed", response: malformed, spentKeys: ["old", "fp"], intent: refreshIntent(true) },
    {
      name: "tokens without a refresh token",
      response: noTokens,
      spentKeys: ["old", "fp"],
      intent: refreshIntent(true)
    },
    {
      name: "unanswered",
      response: inDoubt,
      spentKeys: ["old", "fp"],
      intent: { ...starting.intent!, ambiguous: true }
    }
  ]
  for (const { intent, name, response, spentKeys } of ends) {
    it(`a key, ${name}: it may not be sent again, and nothing else is forgotten`, () => {
      const decision = respond(starting, start(), response)
      assert(decision._tag === "End")
      assert.strictEqual(decision.error._tag, "NoSession")
      assert.deepStrictEqual(decision.record, recordOf({ end: lost, spentKeys, intent, lastStartAt: now }))
    })
  }

  it("a session that another key has begun meanwhile is adopted, unless this key was to replace it", () => {
    const record = recordOf({ spentKeys: ["fp"] })
    for (const response of [inDoubt, noTokens, rejected, malformed, notSpent]) {
      const replaced = response._tag === "NotSpent" ? "Release" : "End"
      assert.strictEqual(respond(record, start(), response)._tag, "Adopt")
      assert.strictEqual(respond(record, start({ replaces: true }), response)._tag, replaced)
    }
  })

  it("a key that was certainly not used may be sent again, and nothing is forgotten", () => {
    const decision = respond({ ...starting, spentKeys: ["old", "fp me", "fp you"] }, start(), notSpent)
    assert(decision._tag === "Release")
    assert.strictEqual(decision.ambiguousSince, refreshIntent(true).since)
    assert.deepStrictEqual(
      decision.record,
      recordOf({ end: lost, spentKeys: ["old", "fp you"], intent: refreshIntent(true), lastStartAt: now })
    )
  })
})

describe("reconcile", () => {
  it("writes over what is older, and never over what is not", () => {
    const ours = recordOf({ session: sessionOf(2), spentKeys: ["a"] })
    assert.isUndefined(merge(recordOf({ session: sessionOf(2) }), ours))
    assert.isUndefined(merge(recordOf({ session: sessionOf(3) }), ours))
    assert.isUndefined(merge(recordOf({ session: sessionOf(0, 2) }), ours))
    const { session: _, ...none } = ours
    assert.isUndefined(merge(recordOf(), none))
    assert.deepStrictEqual(
      merge(recordOf({ spentKeys: ["b", "a"], lastStartAt: 9, lease: lease("other"), end: lost }), ours),
      {
        ...ours,
        spentKeys: ["b", "a"],
        lastStartAt: 9
      }
    )
    assert.deepStrictEqual(merge({ environment, spentKeys: [] }, ours), { ...ours, lastStartAt: 1 })
  })

  it("66 · of two rotations of one session, the one with a new refresh token stays", () => {
    const whole = recordOf({ session: sessionOf(2) })
    const half = recordOf({ session: { ...sessionOf(2), hasOldRefreshToken: true }, intent: refreshIntent(true, 2) })
    assert.deepStrictEqual(merge(half, whole)?.session, { ...sessionOf(2), generation: 3 })
    assert.isUndefined(merge(whole, half))
    assert.isUndefined(merge(half, half))
    const decision = request(half, refresh(true, 2), { local: sessionOf(2) })
    assert(decision._tag === "Send")
    assert.strictEqual(Redacted.value(decision.secret), "rt-1-2")
  })

  it("a session that began later has the higher generation, whatever it was made from, and its doubt stays with it", () => {
    const ours = recordOf({ session: sessionOf(1, 2), intent: refreshIntent(true, 1) })
    const merged = merge(recordOf({ session: sessionOf(9, 1) }), ours)
    assert.strictEqual(merged?.session?.generation, 10)
    assert.deepStrictEqual(merged?.intent, refreshIntent(true, 10))
  })
})

describe("two API keys, claimed one after the other", () => {
  const behind = { now: now - 78_000 }
  const claim = (record: Session.SessionRecord, fingerprint: string, parts: Partial<Model.Request> = {}) => {
    const purpose = start({ key: { apiKey: Redacted.make(fingerprint), fingerprint }, replaces: true })
    const decision = request(record, purpose, { leaseState: "Dead", ...parts })
    assert(decision._tag === "Send" && decision.mark !== undefined)
    return { record: decision.mark, answered: () => respond(decision.mark!, purpose, tokens()) }
  }

  it("66 · the session of the later one stays, though its clock is behind and the other's answer comes last", () => {
    const first = claim(recordOf(), "first")
    const second = claim(first.record, "second", { owner: "other", ...behind }).answered()
    const late = first.answered()
    assert(second._tag === "Store" && late._tag === "Store")
    assert.isUndefined(merge(second.record, late.record))
    assert.strictEqual(merge(late.record, second.record)?.session?.startedAt, now + 1)
  })

  it("a refresh between the two changes nothing of that", () => {
    const first = claim(recordOf(), "first")
    const refreshed = request(first.record, refresh(), { leaseState: "Dead", owner: "third" })
    assert(refreshed._tag === "Send")
    const stored = respond(refreshed.record, refresh(), tokens(), { owner: "third" })
    assert(stored._tag === "Store")
    const second = claim(stored.record, "second", { owner: "other", ...behind }).answered()
    const late = first.answered()
    assert(second._tag === "Store" && late._tag === "Store")
    assert.isUndefined(merge(second.record, late.record))
  })
})

describe("a claim whose secret was not sent", () => {
  const own = { purpose: start(), priorIntent: undefined }
  const startIntent: Session.Intent = { _tag: "Start", fingerprint: "fp", since: now, ambiguous: false }

  it("its mark is taken out, and no other", () => {
    const record = recordOf({ spentKeys: ["fp you", "fp me", "other me"] })
    assert.deepStrictEqual(withoutMark(record, "me", own).spentKeys, ["fp you", "other me"])
    const others = recordOf({ spentKeys: ["fp you"] })
    assert.strictEqual(withoutMark(others, "me", own), others)
    for (const purpose of [refresh(), start({ key: undefined })]) {
      assert.strictEqual(withoutMark(record, "me", { purpose, priorIntent: undefined }), record)
    }
  })

  it("under our lease, lease and intent go with it", () => {
    const record = recordOf({ lease: lease("me"), intent: startIntent, spentKeys: ["fp me"] })
    assert.deepStrictEqual(withoutClaim(record, "me", own), recordOf())
  })

  it("a refresh that was in doubt before the claim of a key is in doubt again", () => {
    const intent: Session.Intent = { ...startIntent, pending: refreshIntent(true) }
    const freed = withoutClaim(recordOf({ lease: lease("me"), intent }), "me", own)
    assert.deepStrictEqual(freed, recordOf({ intent: refreshIntent(true) }))
  })

  it("what another process has claimed since stays, and so does another claim of ours", () => {
    for (const record of [
      recordOf({ lease: lease("you"), intent: startIntent }),
      recordOf({ lease: lease("me"), intent: { ...startIntent, fingerprint: "another" } }),
      recordOf({ lease: lease("me"), intent: refreshIntent(false) }),
      recordOf({ lease: lease("me") }),
      recordOf()
    ]) {
      assert.strictEqual(withoutClaim(record, "me", own), record)
    }
  })

  it("of a refresh: what was known before the claim is known again", () => {
    const claimed = { purpose: refresh(), priorIntent: refreshIntent(true) }
    const record = recordOf({ lease: lease("me"), intent: refreshIntent(false) })
    assert.deepStrictEqual(withoutClaim(record, "me", claimed), recordOf({ intent: refreshIntent(true) }))
    const other = recordOf({ lease: lease("me"), intent: refreshIntent(false, 2) })
    assert.strictEqual(withoutClaim(other, "me", claimed), other)
  })

  it("stays on another generation of a session that kept its refresh token", () => {
    const session = { ...sessionOf(1), hasOldRefreshToken: true }
    const unsent = { purpose: { _tag: "Refresh", session, accessTokenRejected: true }, priorIntent: undefined } as const
    const record = recordOf({ session: sessionOf(2), lease: lease("me"), intent: refreshIntent(false, 2) })
    assert.strictEqual(withoutClaim(record, "me", unsent), record)
  })
})

describe("laws of the machine, over 6,000 random records and events", () => {
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
      ? ({ _tag: "Refresh", session: of(sessions.slice(1))!, accessTokenRejected: happens(0.5) } as const)
      : start({ key: maybe(key), replaces: happens(0.5) })
  const many = (law: (record: Session.SessionRecord) => void) => {
    for (let index = 0; index < 6_000; index++) law(randomRecord())
  }

  it("I4: no record that is written has an older session, or none where there was one", () =>
    many((record) => {
      const purpose = randomPurpose()
      const leaseState = happens(0.5) ? ("Dead" as const) : happens(0.5) ? ("Silent" as const) : ("Alive" as const)
      const planned = request(record, purpose, {
        local: of(sessions),
        leaseState,
        sentAt: happens(0.5) ? now : undefined
      })
      const settled = respond(record, purpose, of([tokens(), noTokens, notSpent, inDoubt, rejected, malformed]), {
        leaseState
      })
      const written = [planned, settled].map((decision) => ("record" in decision ? decision.record : undefined))
      const merged = merge(record, randomRecord())
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
      const planned = request(record, purpose)
      if (isTaken) assert.include(["Adopt", "Wait", "Fail"], planned._tag)
      const settled = respond(record, purpose, of([tokens(), notSpent, inDoubt, rejected, malformed]))
      if (isTaken) assert.include(["Adopt", "Defer", "Store"], settled._tag)
    }))

  it("I2: what is in doubt is sent for a dead access token only, and is then marked as sent before", () =>
    many((record) => {
      const purpose = randomPurpose()
      const planned = request(record, purpose, { leaseState: "Dead", sentAt: now })
      if (planned._tag !== "Send") return
      assert.deepInclude(planned.record, { lease: { owner: "me", renewedAt: now } })
      const written = record.intent?._tag === "Start" ? record.intent.pending : record.intent
      if (purpose._tag === "Start") {
        assert.isFalse(record.spentKeys.includes("fp"))
        assert.isTrue(planned.mark?.spentKeys.includes("fp me"))
      } else if (written !== undefined && written.generation === planned.record.session?.generation) {
        assert.isTrue(purpose.accessTokenRejected)
        assert.isTrue(planned.record.intent?.ambiguous)
      }
    }))

  it("I5: only a refusal ends a session, and a doubt is never forgotten but by new tokens or a refusal", () =>
    many((record) => {
      const purpose = randomPurpose()
      const response = of([notSpent, inDoubt, rejected, malformed])
      const priorIntent =
        purpose._tag === "Refresh" ? maybe(refreshIntent(true, purpose.session.generation)) : undefined
      const settled = respond(record, purpose, response, { priorIntent })
      if (settled._tag === "End" && purpose._tag === "Refresh") assert.include(["Rejected", "Malformed"], response._tag)
      if (settled._tag === "Release" && settled.record !== undefined && purpose._tag === "Refresh") {
        const isDoubtful = priorIntent !== undefined || response._tag === "InDoubt"
        if (isDoubtful) assert.isDefined(settled.record.intent)
      }
    }))
})
