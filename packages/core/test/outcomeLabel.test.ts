import {
  InvalidAccessToken,
  NoSession,
  RateLimited,
  RefreshUnavailable,
  SessionAmbiguous,
  SessionLost,
  SessionOfAnotherEnvironment,
  StoredSessionInvalid,
  TokenStoreError,
  OtherApiError,
  ValidationFailed
} from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Exit from "effect/Exit"
import type { CallError } from "../src/call/callEnd.ts"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"

const labelOf = (error: CallError) => Instrumentation.labelCall(Exit.fail(error)).outcome

const [at, identity, reason, generation] = [DateTime.makeUnsafe(0), "default", "a reason", 1]

const sessionErrors = (status: number): ReadonlyArray<CallError> => [
  new NoSession({ identity, reason, status }),
  new SessionLost({ identity, generation, status }),
  new SessionAmbiguous({ identity, generation, since: at, retryAt: at, status }),
  new RefreshUnavailable({ identity, phase: "Rejected", reason, retryAt: at, status }),
  new StoredSessionInvalid({ identity, reason, status }),
  new SessionOfAnotherEnvironment({ identity, stored: "a", configured: "b" }),
  new TokenStoreError({ operation: "load", reason })
]

describe("the outcome of a call", () => {
  it("the outcome is `no_token` for each error of a session, whatever the token endpoint answered", () => {
    for (const status of [401, 429, 500]) {
      for (const error of sessionErrors(status)) assert.strictEqual(labelOf(error), "no_token", error._tag)
    }
  })

  it("the outcome is `refused` only if the service did nothing, and `unanswered` after a status in doubt", () => {
    const answer = { operation: "vaults.details", summary: "", errors: {}, code: undefined }
    for (const status of [400, 403, 404, 408, 499, 500, 502, 503, 504]) {
      const label = status < 408 ? "refused" : "unanswered"
      assert.strictEqual(labelOf(new OtherApiError({ ...answer, status })), label, String(status))
    }
    assert.strictEqual(labelOf(new RateLimited({ ...answer, status: 429 })), "throttled")
    assert.strictEqual(labelOf(new InvalidAccessToken({ ...answer, status: 401 })), "refused")
    assert.strictEqual(labelOf(new ValidationFailed({ ...answer, status: 422 })), "refused")
    assert.strictEqual(labelOf(new ValidationFailed({ ...answer, status: 500 })), "unanswered")
  })
})
