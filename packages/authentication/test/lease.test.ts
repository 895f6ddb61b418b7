import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { afterRenewal, onRenewal } from "../src/decide.ts"
import { judge } from "../src/record.ts"
import { renewalInterval } from "../src/rotation.ts"
import { empty, type SessionRecord } from "../src/Session.ts"

const leaseTimeout = 10_000
const interval = Duration.toMillis(renewalInterval({ leaseTimeout: Duration.millis(leaseTimeout) }))
const stored = (isChallenged: boolean) => ({
  version: 7,
  record: { ...empty("https://a.example"), lease: { owner: "other", renewedAt: 0, isChallenged } }
})

it("a holder is challenged after it has missed a renewal, not before", () => {
  const after = (millis: number) => judge({ version: 7, millis }, stored(false), leaseTimeout)
  assert.strictEqual(after(1.5 * interval), "Alive")
  assert.strictEqual(after(2 * interval), "Silent")
})

it("a challenged holder is dead once another renewal could have answered, not before", () => {
  const after = (millis: number) => judge({ version: 7, millis }, stored(true), leaseTimeout)
  assert.strictEqual(after(1.5 * interval), "Alive")
  assert.strictEqual(after(2 * interval), "Dead")
})

describe("a renewal", () => {
  const session = { generation: 1, accessToken: Redacted.make("at"), refreshToken: Redacted.make("rt"), obtainedAt: 0 }
  const claim: SessionRecord = {
    ...empty("https://a.example"),
    session,
    lease: { owner: "me", renewedAt: 1_000 }
  }
  const held = { _tag: "Held", version: 7, since: 1_000 } as const

  it("renews the claim over a record that has the same lease and the same session", () => {
    const challenged = { ...claim, lease: { owner: "me", renewedAt: 1_000, isChallenged: true } }
    for (const version of [6, 7, 8]) {
      const renewal = onRenewal(claim, 7, { version, record: challenged }, 3_000)
      assert.deepStrictEqual(renewal, {
        record: { ...claim, lease: { owner: "me", renewedAt: 3_000 } },
        isTaken: false
      })
      assert.deepStrictEqual(afterRenewal(held, renewal, 9, 2_900), { _tag: "Held", version: 9, since: 2_900 })
      // A renewal that began earlier, and ends later.
      assert.deepStrictEqual(afterRenewal(held, renewal, 9, 500), { _tag: "Held", version: 9, since: 1_000 })
    }
  })

  it("sees that another process has the lease, and never counts it as held again", () => {
    for (const record of [
      { ...claim, lease: { owner: "other", renewedAt: 2_000 } },
      empty("https://a.example"),
      { ...claim, session: { ...session, generation: 2 } }
    ]) {
      const renewal = onRenewal(claim, 7, { version: 8, record }, 3_000)
      assert.deepStrictEqual(renewal, { record: undefined, isTaken: true })
      const taken = afterRenewal(held, renewal, 8, 2_900)
      assert.deepStrictEqual(taken, { _tag: "Taken" })
      const late = onRenewal(claim, 7, { version: 7, record: claim }, 3_000)
      assert.deepStrictEqual(afterRenewal(taken, late, 9, 2_900), { _tag: "Taken" })
    }
  })

  it("believes no record that is older than its own write, and does not count the lease as held meanwhile", () => {
    const old = { ...claim, lease: { owner: "other", renewedAt: 500 } }
    const renewal = onRenewal(claim, 7, { version: 6, record: old }, 3_000)
    assert.deepStrictEqual(renewal, { record: undefined, isTaken: false })
    assert.deepStrictEqual(afterRenewal(held, renewal, 6, 2_900), { ...held, since: -Infinity })
  })
})
