import { describe, it } from "@effect/vitest"
import { callsShareOneRefresh } from "./oneProcess.ts"

describe("many calls at the expiry of one access token", () => {
  it.effect("10,000 concurrent 498s cause exactly one refresh, and every replay succeeds", () =>
    callsShareOneRefresh(10_000)
  )
})
