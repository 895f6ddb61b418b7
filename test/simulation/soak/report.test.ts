import { assert, it } from "@effect/vitest"
import type { Entry } from "../kills/history.ts"
import { callRows, type TimedCall } from "./report.ts"

const identity = "session 1"

const call = (began: number, at: number, tag = "ok"): TimedCall => ({ what: "call", identity, began, at, tag })

const does = (at: number, what: "claims" | "stored"): Entry => ({ at, what, worker: "a", identity, generation: 0 })

it("callRows counts failures by tag, and tells the calls during a rotation from the others", () => {
  const calls = [call(0, 10), call(90, 190), call(150, 155), call(300, 340, "TokenExpired"), call(400, 420)]
  assert.deepStrictEqual(callRows(calls, [does(100, "claims"), does(200, "stored"), does(290, "claims")]), [
    ["calls", "5, 1 failed"],
    ["  with TokenExpired", "1"],
    ["latency of a call in ms", "p50 20, p99 100, max 100"],
    ["  at a rotation (2 calls)", "p50 100, p99 100, max 100"]
  ])
})
