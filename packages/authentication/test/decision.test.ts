import { Session } from "@effect-custody/authentication"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type * as Model from "../src/decide.ts"
import { onLook, onReload, onResponse, type Response } from "../src/decide.ts"
import * as SessionState from "../src/sessionState.ts"
import { type LeaseState, merge, withoutClaims } from "../src/record.ts"
import { chance } from "../../../test/session/simulation/chance.ts"

const environment = "https://acme.custody.example/api/integration"
const identity = { name: "acme", environment }
const now = 1_000_000
const leaseTimeout = 10_000

const sessionOf = (generation: number, startedAt = 1): Session.Session => ({
  generation,
  startedAt,
  accessToken: Redacted.make(`at-${startedAt}-${generation}`),
  refreshToken: Redacted.make(`rt-${startedAt}-${generation}`),
  obtainedAt: now - 1_000
})
const key = { apiKey: Redacted.make("key"), fingerprint: "fp" }
const lease = (owner: string): Session.SessionRecord["lease"] & object => ({ owner, renewedAt: now - 5_000 })
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

interface Look {
  readonly owner: string
  readonly now: number
  readonly local: Session.Session | undefined
  readonly unsent: ReadonlyArray<string>
  readonly sentAt: number | undefined
  readonly leaseState: LeaseState
}

const request = (stored: Session.SessionRecord, purpose: Model.Purpose, look: Partial<Look> = {}) => {
  const { leaseState = "Alive", local, now: at = now, owner = "me", sentAt, unsent = [] } = look
  const secret = purpose._tag === "Refresh" ? purpose.session.refreshToken : purpose.key?.apiKey
  const sent = secret === undefined || sentAt === undefined ? [] : [{ secret, at: sentAt, mark: undefined }]
  const watch = { version: 1, millis: leaseState === "Alive" ? 0 : leaseTimeout }
  const isChallenged = leaseState === "Dead"
  const record = stored.lease === undefined ? stored : { ...stored, lease: { ...stored.lease, isChallenged } }
  const known = { ...SessionState.initial, session: local, unsent, sent, watch }
  return onLook({ identity, owner, leaseTimeout }, purpose, known, { version: 1, record }, at)
}

const respond = (
  record: Session.SessionRecord,
  purpose: Model.Purpose,
  response: Response["response"],
  parts: Partial<Response> = {}
) =>
  onResponse(identity, record, {
    purpose,
    owner: "me",
    response,
    priorIntent: undefined,
    now,
    ...parts
  })

const tokens = (): Response["response"] => ({
  _tag: "Tokens",
  accessToken: Redacted.make("at-new"),
  refreshToken: Redacted.make("rt-new"),
  expiresAt: now + 900_000,
  vaultId: 7
})
const notSpent = { _tag: "NotSpent", phase: "Throttled", reason: "HTTP 429", retryAfter: Duration.seconds(1) } as const
const inDoubt = { _tag: "InDoubt", reason: "ECONNRESET", retryAfter: undefined } as const
const rejected = { _tag: "Dead", reason: "HTTP 401" } as const
const malformed = { _tag: "Malformed", reason: "HTTP 422" } as const

type Row = readonly [state: string, record: Session.SessionRecord, expected: string]

describe("onLook", () => {
  const taken = recordOf({ lease: lease("other"), intent: refreshIntent(false) })
  const ofRefresh: ReadonlyArray<Row> = [
    ["gone", { environment, spentKeys: [] }, "Send"],
    ["serving", recordOf(), "Send"],
    ["newer", recordOf({ session: sessionOf(2) }), "Adopt"],
    ["started anew", recordOf({ session: sessionOf(0, 2) }), "Adopt"],
    ["newer, and leased", recordOf({ session: sessionOf(2), lease: lease("other") }), "Adopt"],
    ["leased by another", taken, "Wait"],
    ["ambiguous", recordOf({ intent: refreshIntent(true) }), "Send"],
    ["lost", recordOf({ end: lost }), "Fail"],
    ["invalid", recordOf({ end: invalid }), "Fail"],
    ["newer than its end", recordOf({ end: { ...lost, generation: 0 } }), "Send"],
    ["newer, and lost", recordOf({ session: sessionOf(2), end: { ...lost, generation: 2 } }), "Fail"]
  ]
  for (const [state, record, expected] of ofRefresh) {
    it(`a refresh of a dead token decides ${expected} on a record that is ${state}`, () =>
      assert.strictEqual(request(record, refresh())._tag, expected))
  }

  const spent = { spentKeys: ["fp"] }
  const claim = { _tag: "Start", fingerprint: "fp", since: now - 5_000, ambiguous: false } as const
  const ofStart: ReadonlyArray<Row> = [
    ["empty", { environment, spentKeys: [] }, "Send"],
    ["serving", recordOf(), "Adopt"],
    ["lost", recordOf({ end: lost }), "Send"],
    ["leased by another", { environment, spentKeys: [], lease: lease("other") }, "Wait"],
    ["empty, with the key marked as sent", { environment, ...spent }, "NeedKey"],
    ["claimed and marked by a process that died", { environment, ...spent, intent: claim }, "NeedKey"],
    ["claimed, but not marked, by a process that died", { environment, spentKeys: [], intent: claim }, "Send"],
    [
      "claimed by this process for another key",
      { environment, ...spent, intent: { ...claim, fingerprint: "x" }, lease: lease("me") },
      "NeedKey"
    ]
  ]
  for (const [state, record, expected] of ofStart) {
    it(`a start decides ${expected} on a record that is ${state}`, () =>
      assert.strictEqual(request(record, start())._tag, expected))
  }

  it("a key that was never sent replaces a session and keeps its doubtful intent; a spent key replaces nothing", () => {
    const decision = request(recordOf({ intent: refreshIntent(true) }), start({ replaces: true }))
    assert(decision._tag === "Send")
    // The claim does not burn the key. Only the mark does, which is written right before the send.
    assert.deepStrictEqual(decision.record.spentKeys, [])
    assert.strictEqual(decision.mark, "fp me")
    assert.deepStrictEqual(decision.record.intent, {
      _tag: "Start",
      fingerprint: "fp",
      since: now,
      ambiguous: false,
      pending: refreshIntent(true)
    })
    assert.strictEqual(request(recordOf(spent), start({ replaces: true }))._tag, "Adopt")
  })

  it("a mark of this process counts as no send if the key was certainly not sent", () => {
    const marked = { spentKeys: ["fp me"] }
    const unsent = { unsent: ["fp me"] }
    const decision = request({ environment, ...marked }, start(), unsent)
    assert(decision._tag === "Send")
    assert.deepStrictEqual(decision.record.spentKeys, [])
    assert.strictEqual(request(recordOf(marked), start({ replaces: true }), unsent)._tag, "Send")
    assert.strictEqual(request({ environment, spentKeys: ["fp other"] }, start(), unsent)._tag, "NeedKey")
    const silent = { environment, ...marked, lease: lease("other") }
    const challenge = request(silent, start(), { ...unsent, leaseState: "Silent" })
    assert(challenge._tag === "Challenge")
    // The holder's next write would bring the mark back, so the mark stays until the lease is free.
    assert.deepStrictEqual(challenge.record.spentKeys, marked.spentKeys)
  })
})

describe("onResponse", () => {
  const claimed = recordOf({ lease: lease("me"), intent: refreshIntent(false) })
  const takenOver = recordOf({ lease: lease("other"), intent: refreshIntent(true) })

  it("new tokens become the next generation, without lease, intent and end", () => {
    for (const record of [claimed, takenOver, recordOf({ end: lost })]) {
      const decision = respond(record, refresh(), tokens())
      assert(decision._tag === "Store")
      assert.hasAllKeys(decision.record, ["environment", "session", "spentKeys"])
      assert.deepInclude(decision.session, { generation: 2, startedAt: 1, obtainedAt: now, expiresAt: now + 900_000 })
      assert.strictEqual(Redacted.value(decision.session.refreshToken), "rt-new")
    }
  })

  it("a newer session in the store is adopted after any answer", () => {
    for (const session of [sessionOf(2), sessionOf(0, 2)]) {
      for (const response of [tokens(), notSpent, inDoubt, rejected, malformed]) {
        assert.strictEqual(respond(recordOf({ session }), refresh(), response)._tag, "Adopt")
      }
    }
  })

  it("a record that another process has taken over is left alone", () => {
    for (const response of [notSpent, inDoubt, rejected, malformed]) {
      assert.strictEqual(respond(takenOver, refresh(), response)._tag, "Defer")
      assert.strictEqual(respond({ ...takenOver, spentKeys: ["fp"] }, start(), response)._tag, "Defer")
    }
  })

  it("after an attempt that was not processed, only earlier doubt remains", () => {
    const plain = respond(claimed, refresh(), notSpent)
    assert(plain._tag === "Release")
    assert.deepStrictEqual(plain.record, recordOf())
    const before = respond(claimed, refresh(), notSpent, { priorIntent: refreshIntent(true) })
    assert(before._tag === "Release")
    assert.deepStrictEqual(before.record, recordOf({ intent: refreshIntent(true) }))
    assert.strictEqual(before.ambiguousSince, now - 5_000)
    // Another process has released it meanwhile: nothing is written.
    const other = respond(recordOf({ intent: refreshIntent(true) }), refresh(), notSpent)
    assert(other._tag === "Release")
    assert.isUndefined(other.record)
  })

  it("an unanswered refresh token is in doubt since its first send, and not risked while the access token works", () => {
    for (const since of [5, undefined]) {
      const prior = since === undefined ? undefined : { ...refreshIntent(true), since }
      const decision = respond(claimed, refresh(), inDoubt, { priorIntent: prior })
      assert(decision._tag === "Release")
      assert.deepStrictEqual(
        decision.record,
        recordOf({ intent: { ...refreshIntent(true), since: since ?? now - 5_000 } })
      )
      assert.strictEqual(request(decision.record!, refresh())._tag, "Send")
      assert.strictEqual(request(decision.record!, refresh(false))._tag, "KeepServing")
    }
  })

  const starting: Session.SessionRecord = {
    ...recordOf({ end: lost, lease: lease("me"), spentKeys: ["old", "fp"], lastStartAt: now }),
    intent: { _tag: "Start", fingerprint: "fp", since: now, ambiguous: false, pending: refreshIntent(true) }
  }

  it("the tokens of an API key begin a session of the next generation, later than every other", () => {
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
      name: "unanswered",
      response: inDoubt,
      spentKeys: ["old", "fp"],
      intent: { ...starting.intent!, ambiguous: true }
    }
  ]
  for (const { intent, name, response, spentKeys } of ends) {
    it(`an API key that was ${name} is never sent again, and the record keeps the rest`, () => {
      const decision = respond(starting, start(), response)
      assert(decision._tag === "End")
      assert.strictEqual(decision.error._tag, "NoSession")
      assert.deepStrictEqual(decision.record, recordOf({ end: lost, spentKeys, intent, lastStartAt: now }))
    })
  }

  it("a session that another key has begun meanwhile is adopted, unless this key should replace it", () => {
    const record = recordOf({ spentKeys: ["fp"] })
    for (const response of [inDoubt, rejected, malformed, notSpent]) {
      const replaced = response._tag === "NotSpent" ? "Release" : "End"
      assert.strictEqual(respond(record, start(), response)._tag, "Adopt")
      assert.strictEqual(respond(record, start({ replaces: true }), response)._tag, replaced)
    }
  })

  it("an API key that was certainly not used may be sent again, and the record keeps the rest", () => {
    const decision = respond({ ...starting, spentKeys: ["old", "fp me", "fp you"] }, start(), notSpent)
    assert(decision._tag === "Release")
    assert.strictEqual(decision.ambiguousSince, refreshIntent(true).since)
    assert.deepStrictEqual(
      decision.record,
      recordOf({ end: lost, spentKeys: ["old", "fp you"], intent: refreshIntent(true), lastStartAt: now })
    )
  })
})

describe("merge", () => {
  it("a new session replaces only an older one in the store", () => {
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

  it("a session that began later gets the higher generation, whatever record it was made from", () => {
    const ours = recordOf({ session: sessionOf(1, 2) })
    const merged = merge(recordOf({ session: sessionOf(9, 1) }), ours)
    assert.strictEqual(merged?.session?.generation, 10)
  })
})

describe("two API keys, claimed one after the other", () => {
  const behind = { now: now - 78_000 }
  const claim = (record: Session.SessionRecord, fingerprint: string, parts: Partial<Look> = {}) => {
    const purpose = start({ key: { apiKey: Redacted.make(fingerprint), fingerprint }, replaces: true })
    const decision = request(record, purpose, { leaseState: "Dead", ...parts })
    assert(decision._tag === "Send" && decision.mark !== undefined)
    const marked = { ...decision.record, spentKeys: [...decision.record.spentKeys, decision.mark] }
    return { record: marked, answered: () => respond(marked, purpose, tokens()) }
  }

  it("the session of the later claim stays, even with a slow clock and an earlier answer", () => {
    const first = claim(recordOf(), "first")
    const second = claim(first.record, "second", { owner: "other", ...behind }).answered()
    const late = first.answered()
    assert(second._tag === "Store" && late._tag === "Store")
    assert.isUndefined(merge(second.record, late.record))
    assert.strictEqual(merge(late.record, second.record)?.session?.startedAt, now + 1)
  })
})

describe("the claim of an API key that was not sent", () => {
  const intent: Session.Intent = { _tag: "Start", fingerprint: "fp", since: now, ambiguous: false }
  const without = (record: Session.SessionRecord) => withoutClaims(record, "me", ["fp me"])

  it("a withdrawn claim loses its mark and, under our lease, lease and intent", () => {
    const marked = recordOf({ lease: lease("you"), intent, spentKeys: ["fp you", "fp me", "other me"] })
    assert.deepStrictEqual(without(marked), { ...marked, spentKeys: ["fp you", "other me"] })
    const pending = { ...intent, pending: refreshIntent(true) }
    assert.deepStrictEqual(
      without(recordOf({ lease: lease("me"), intent: pending })),
      recordOf({ intent: refreshIntent(true) })
    )
  })

  it("a withdrawal leaves the claims of other processes, and our other claims", () => {
    for (const record of [
      recordOf({ lease: lease("you"), intent }),
      recordOf({ lease: lease("me"), intent: { ...intent, fingerprint: "another" } }),
      recordOf({ lease: lease("me"), intent: refreshIntent(false) }),
      recordOf()
    ]) {
      assert.strictEqual(without(record), record)
    }
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
      environment,
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

  it("I4: no written record has an older session than the stored one, or lacks its session", () =>
    many((record) => {
      const purpose = randomPurpose()
      const planned = request(record, purpose, {
        local: of(sessions),
        leaseState: happens(0.5) ? "Dead" : happens(0.5) ? "Silent" : "Alive",
        sentAt: happens(0.5) ? now : undefined
      })
      const settled = respond(record, purpose, of([tokens(), notSpent, inDoubt, rejected, malformed]))
      const written = [planned, settled].map((decision) => ("record" in decision ? decision.record : undefined))
      const merged = merge(record, randomRecord())
      for (const next of [...written, merged]) {
        if (next === undefined || record.session === undefined) continue
        assert.isDefined(next.session)
        assert.isFalse(Session.isNewer(record.session, next.session))
      }
    }))

  it("I1: under the living lease of another process nothing is sent, and only new tokens are written", () =>
    many((record) => {
      const purpose = randomPurpose()
      const isTaken = record.lease?.owner === "other"
      const planned = request(record, purpose)
      if (isTaken) assert.include(["Adopt", "Wait", "Fail"], planned._tag)
      const settled = respond(record, purpose, of([tokens(), notSpent, inDoubt, rejected, malformed]))
      if (isTaken) assert.include(["Adopt", "Defer", "Store"], settled._tag)
    }))

  it("I2: a doubtful refresh token is sent only for a dead access token, and then marked as ambiguous", () =>
    many((record) => {
      const purpose = randomPurpose()
      const planned = request(record, purpose, { leaseState: "Dead", sentAt: now })
      if (planned._tag !== "Send") return
      assert.deepInclude(planned.record, { lease: { owner: "me", renewedAt: now } })
      const written = record.intent?._tag === "Start" ? record.intent.pending : record.intent
      if (purpose._tag === "Start") {
        assert.isFalse(record.spentKeys.includes("fp"))
        assert.strictEqual(planned.mark, "fp me")
      } else if (written !== undefined && written.generation === planned.record.session?.generation) {
        assert.isTrue(purpose.accessTokenRejected)
        assert.isTrue(planned.record.intent?.ambiguous)
      }
    }))

  it("I5: only a refusal ends a session, and only new tokens or a refusal end a doubt", () =>
    many((record) => {
      const purpose = randomPurpose()
      const response = of([notSpent, inDoubt, rejected, malformed])
      const priorIntent =
        purpose._tag === "Refresh" ? maybe(refreshIntent(true, purpose.session.generation)) : undefined
      const settled = respond(record, purpose, response, { priorIntent })
      if (settled._tag === "End" && purpose._tag === "Refresh") assert.include(["Dead", "Malformed"], response._tag)
      if (settled._tag === "Release" && settled.record !== undefined && purpose._tag === "Refresh") {
        const isDoubtful = priorIntent !== undefined || response._tag === "InDoubt"
        if (isDoubtful) assert.isDefined(settled.record.intent)
      }
    }))
})

describe("after a 401", () => {
  const reload = (
    record: Session.SessionRecord,
    { generation = 1, isFresh = false, isSecondLook = false } = {}
  ): readonly [string, number | undefined] => {
    const decision = onReload(identity, record, sessionOf(generation), isFresh, isSecondLook)
    return [decision._tag, "session" in decision ? decision.session.generation : undefined]
  }

  it("a newer stored session is adopted, also for a fresh token and at the second look", () => {
    for (const isFresh of [false, true]) {
      for (const isSecondLook of [false, true]) {
        assert.deepStrictEqual(reload(recordOf({ session: sessionOf(2) }), { isFresh, isSecondLook }), ["Adopt", 2])
      }
    }
  })

  it("a stored end of the session leads to another session, a stored end of an older one does not", () => {
    assert.deepStrictEqual(reload(recordOf({ end: lost })), ["Recover", undefined])
    assert.deepStrictEqual(reload(recordOf({ end: invalid }), { isFresh: true }), ["Recover", undefined])
    assert.deepStrictEqual(reload(recordOf({ end: lost }), { generation: 2 }), ["Use", 2])
  })

  it("a fresh token is tried once more after its activation, and used at the second look", () => {
    assert.deepStrictEqual(reload(recordOf(), { isFresh: true }), ["Wait", undefined])
    assert.deepStrictEqual(reload(recordOf(), { isFresh: true, isSecondLook: true }), ["Use", 1])
  })

  it("a token whose refresh is under way or in doubt is replaced, any other is used", () => {
    for (const ambiguous of [false, true]) {
      assert.deepStrictEqual(reload(recordOf({ intent: refreshIntent(ambiguous) })), ["Replace", 1])
    }
    assert.deepStrictEqual(reload(recordOf({ intent: refreshIntent(true, 7) })), ["Use", 1])
    assert.deepStrictEqual(reload(recordOf()), ["Use", 1])
  })
})
