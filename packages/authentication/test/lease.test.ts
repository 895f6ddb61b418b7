import { assert, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { judge } from "../src/record.ts"
import { renewalInterval } from "../src/rotation.ts"
import { empty } from "../src/Session.ts"

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
