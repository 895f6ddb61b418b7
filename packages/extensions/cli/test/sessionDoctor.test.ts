import type { SessionRecord } from "@effect-custody/authentication/Session"
import { assert, describe, it } from "@effect/vitest"
import { Environment } from "@effect-custody/core"
import { Redacted, Result } from "effect"
import { createHash } from "node:crypto"
import * as Doctor from "../src/session/doctor.ts"
import * as SessionReport from "../src/session/report.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const ago = (seconds: number) => now - seconds * 1000
const environment = "https://acme.custody.example/api/integration"
const configured = Result.succeed(Environment.emulator(environment))

const session = {
  generation: 3,
  startedAt: ago(3600),
  accessToken: Redacted.make("the-access-token"),
  refreshToken: Redacted.make("the-refresh-token"),
  expiresAt: ago(-600),
  obtainedAt: ago(300),
  vaultId: 42
} as SessionRecord["session"] & {}

const record: SessionRecord = { environment, session, spentKeys: ["a", "b"] }

const report = (changes: Partial<SessionRecord> = {}) =>
  SessionReport.make("default", { record: { ...record, ...changes } }, now)

const refresh = { _tag: "Refresh", generation: 3, since: ago(4) } as const

describe("the report on a stored session", () => {
  const cases: ReadonlyArray<readonly [SessionReport.State, Partial<SessionRecord>]> = [
    ["serving", {}],
    ["expired", { session: { ...session, expiresAt: now } }],
    ["rotating", { lease: { owner: "p1", renewedAt: ago(9.9) } }],
    ["serving", { lease: { owner: "p1", renewedAt: ago(10) } }],
    ["rotating", { lease: { owner: "p1", renewedAt: ago(1) }, intent: { ...refresh, ambiguous: true } }],
    ["ambiguous", { intent: { ...refresh, ambiguous: true } }],
    ["serving", { intent: { ...refresh, ambiguous: false } }],
    ["lost", { end: { _tag: "Lost", generation: 3, at: ago(1) } }],
    ["invalid", { end: { _tag: "Invalid", generation: 3, at: ago(1), reason: "no token" } }],
    ["serving", { end: { _tag: "Lost", generation: 2, at: ago(1) } }]
  ]
  it.each(cases)("the report has the state %s", (state, changes) => {
    assert.strictEqual(report(changes).state, state)
  })

  it("the report holds no token in any state, as JSON or as a table", () => {
    for (const [, changes] of cases) {
      const shown = `${JSON.stringify(report(changes))}${JSON.stringify(SessionReport.rows(report(changes)))}`
      assert.notInclude(shown, "the-")
    }
  })

  it("the report lists its parts as rows", () => {
    const rows = new Map(SessionReport.rows(report({ lease: { owner: "p1", renewedAt: ago(60) } })))
    assert.strictEqual(rows.get("obtainedAt"), "2026-11-20T11:55:00.000Z")
    assert.strictEqual(rows.get("lease.isAlive"), "false")
    assert.strictEqual(rows.get("pending"), "none")
    assert.strictEqual(rows.get("spentKeys"), "2")
  })
})

const withKey = (apiKey: string, changes: Partial<SessionRecord> = {}) => {
  const spentKeys = [createHash("sha256").update("spent key").digest("hex")]
  const stored = { record: { ...record, spentKeys, ...changes } }
  return SessionReport.make("default", stored, now, Redacted.make(apiKey))
}

describe("the configured API key", () => {
  it("the report tells an unused API key from a spent one", () => {
    assert.deepStrictEqual(
      [withKey("new key"), withKey("spent key"), report()].map(({ configuredKey }) => configuredKey),
      ["unused", "spent", null]
    )
  })

  it("the doctor finds nothing wrong with an API key if no session has started", () => {
    const { session: _, ...none } = record
    const empty = SessionReport.make("default", { record: none }, now, Redacted.make("new key"))
    const found = Doctor.examine({ place: "s", file: "missing", key: "set", configured, session: empty })
    assert.isFalse(found.some(({ about }) => about === "API key"))
  })
})

describe("custody session doctor", () => {
  const healthy: Doctor.Facts = {
    place: "session.db",
    file: { mode: 0o100600, isOurs: true },
    key: "set",
    configured,
    session: report()
  }
  const cases: ReadonlyArray<readonly [string, Partial<Doctor.Facts>, string]> = [
    ["a missing file", { file: "missing" }, "bad file"],
    ["a file of another user", { file: { mode: 0o600, isOurs: false } }, "bad owner"],
    ["a file that other users can read", { file: { mode: 0o100640, isOurs: true } }, "doubtful permissions"],
    ["tokens in clear text", { key: "unset" }, "doubtful encryption"],
    ["a wrong key", { key: { wrong: "CUSTODY_SESSION_KEY: is empty" } }, "bad encryption"],
    ["an identity that the file does not have", { session: undefined }, "bad session"],
    [
      "a session that cannot be read without a key, and nothing else",
      { key: "unset", session: { unreadable: "the record is encrypted, and no key is given" } },
      "bad session"
    ],
    ["a lost session", { session: report({ end: { _tag: "Lost", generation: 3, at: now } }) }, "bad session"],
    ["a lost answer", { session: report({ intent: { ...refresh, ambiguous: true } }) }, "doubtful session"],
    ["a dead holder", { session: report({ lease: { owner: "p1", renewedAt: ago(60) } }) }, "doubtful lease"],
    [
      "a session of another environment",
      { configured: Result.succeed(Environment.emulator("http://127.0.0.1:1/api")) },
      "bad environment"
    ],
    ["a wrong address", { configured: Result.fail({ message: "CUSTODY_BASE_URL: no" }) }, "bad environment"],
    ["no configured environment", { configured: undefined }, "doubtful environment"],
    ["a sent key that is still set", { session: withKey("spent key") }, "doubtful API key"],
    ["a key that was never sent", { session: withKey("new key") }, "doubtful API key"]
  ]

  it("the doctor checks neither address nor encryption if no session has started", () => {
    const { session: _, ...none } = { ...record, environment: "http://127.0.0.1:1/wrong", spentKeys: [] }
    const empty = SessionReport.make("default", { record: none }, now)
    const wrong = (session: SessionReport.SessionReport) =>
      Doctor.examine({ ...healthy, key: "unset", session })
        .filter(({ verdict }) => verdict !== "good")
        .map(({ about }) => about)
    assert.deepStrictEqual(wrong(empty), ["session"])
    assert.deepStrictEqual(wrong({ ...empty, spentKeys: 1 }), ["session", "environment"])
  })

  it("the doctor finds nothing wrong with a healthy session", () => {
    assert.deepStrictEqual(
      Doctor.examine(healthy).filter(({ verdict }) => verdict !== "good"),
      []
    )
  })

  it.each(cases)("the doctor finds %s and gives advice", (_, facts, expected) => {
    const wrong = Doctor.examine({ ...healthy, ...facts }).filter(({ verdict }) => verdict !== "good")
    assert.deepStrictEqual(
      wrong.map(({ about, verdict }) => `${verdict} ${about}`),
      [expected]
    )
    assert.isTrue(wrong.every(({ advice }) => advice.length > 0))
  })
})
