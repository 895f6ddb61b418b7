/**
 * One attempt of a rotation with a one-time secret.
 *
 * 1. Claim: write lease and intent. This write is the lock, a note that survives a crash, and a proof that the store
 *    takes writes.
 * 2. Send the secret, once, while the lease is renewed.
 * 3. Apply the response: store the new session, and only then use it; or release the lease; or end the session.
 *
 * Cannot be interrupted. `responseDecision.ts` decides step 3.
 */
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { TokenResponse } from "../endpoint/tokenEndpoint.ts"
import type { ApiKeys } from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import { now } from "../store/clock.ts"
import { isEndReason } from "../store/record.ts"
import type { Base } from "../store/recordStore.ts"
import type { Intent, SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"
import type * as Model from "./decision.ts"
import * as Lease from "./lease.ts"
import type * as Pause from "./pause.ts"
import { onResponse } from "./responseDecision.ts"
import type { SessionWriter } from "./sessionWriter.ts"

export type Send = Extract<Model.RequestDecision, { _tag: "Send" }>

export interface Context extends SessionState.Parts {
  readonly writer: SessionWriter
  readonly claims: Lease.Claims
  readonly apiKeys: ApiKeys
  readonly pause: Pause.Pauses
  /**
   * Sends a secret once, and reads the answer. Sends nothing if `isHeld` returns `false` just before the first byte.
   */
  readonly exchange: (
    purpose: Model.Purpose,
    secret: Redacted.Redacted,
    isHeld: () => boolean
  ) => Effect.Effect<TokenResponse>
}

/**
 * The token, or the reason to load the record again. `Sent`: the secret was sent; load at once. `LostRace`: the secret
 * was not sent, because another process won, or the read was stale; load after a pause.
 */
type Attempted = AccessToken | "Sent" | "LostRace"

/** The pause, in milliseconds, before this process again loads a record that another process holds. */
const lookDelay = { first: 20, max: 100, growth: 1.5 } as const
/**
 * After this many write conflicts in a row, the outcome of an attempt is not written. The stored intent then says that
 * the secret may be spent.
 */
const maxConflicts = 32

export const lookAgainAfter = Effect.fnUntraced(function* (looks: number) {
  const delay = Math.min(lookDelay.first * lookDelay.growth ** looks, lookDelay.max)
  yield* Effect.sleep(delay * (yield* Random.nextBetween(0.5, 1)))
})

/** Loads the record, and adds what this process knows. */
const reload = Effect.fnUntraced(function* ({ state, store }: Context) {
  const stored = yield* store.load
  return { ...stored, record: SessionState.withMarks(stored.record, yield* state.get) }
})

/** Sends the secret, and renews the lease meanwhile. Forgets that it was sent if the service has certainly not used it. */
const send = Effect.fnUntraced(function* (
  { apiKeys, exchange, state, store, timing }: Context,
  purpose: Model.Purpose,
  { mark, secret }: Send,
  claimed: Lease.Claimed
) {
  const { sent: sentBefore, unsent } = yield* state.get
  yield* state.update(SessionState.addSent({ secret, at: yield* now, mark }))
  yield* state.update({ unsent: unsent.filter((one) => one !== mark) })
  const sent = yield* Lease.whileRenewing(store, Lease.renewalInterval(timing), claimed, (isHeld) =>
    exchange(purpose, secret, isHeld)
  )
  if (sent.result._tag === "NotSpent") yield* state.update({ sent: sentBefore, unsent })
  else if (purpose._tag === "Start" && purpose.key !== undefined) yield* apiKeys.spent(purpose.key)
  return { response: sent.result, stored: sent.base }
})

/** Writes the outcome of an attempt. Returns `false` if another process has written in between. */
const written = ({ identity, store }: Context, stored: Base, record: SessionRecord | undefined) =>
  record === undefined
    ? Effect.succeed(true)
    : store.replace(stored.version, record).pipe(
        Effect.map(Option.isSome),
        // If this write fails, the intent stays. That is safe, because the intent says that the secret may be spent.
        Effect.catchTag("TokenStoreError", (error) =>
          Effect.as(OperatorLog.report("session.not_released", `${identity.name}: ${error.message}`), true)
        )
      )

/**
 * Acts on the response, and stores the result. Returns `undefined` if the caller must load the record again at once.
 */
const apply = Effect.fnUntraced(function* (
  context: Context,
  purpose: Model.Purpose,
  response: TokenResponse,
  priorIntent: Intent | undefined,
  from: Base
): Effect.fn.Return<AccessToken | undefined, SessionError> {
  const { identity, owner, pause, state, writer } = context
  const event = { purpose, owner, response, priorIntent, now: yield* now }
  const isFirst = priorIntent === undefined
  let stored = from
  for (let conflicts = 0; ; conflicts++) {
    if (conflicts > 1) yield* lookAgainAfter(conflicts)
    const isLast = conflicts === maxConflicts
    const decision = onResponse(identity, stored.record, event)
    switch (decision._tag) {
      case "Adopt":
        return yield* state.adopt(decision.session)
      case "Defer":
        return undefined
      case "Store":
        return yield* writer.write(decision, stored, purpose._tag === "Start" ? "Started" : "Rotated")
      case "Release":
        if (!(yield* written(context, stored, decision.record)) && !isLast) break
        return yield* pause.afterAttempt(purpose, decision.response, { ...decision, isFirst })
      case "End": {
        if (!(yield* written(context, stored, decision.record)) && !isLast) break
        const { error } = decision
        return yield* isEndReason(error) && purpose._tag === "Refresh"
          ? state.end(error)
          : pause.begin(purpose, () => error, response)
      }
    }
    const again = yield* Effect.result(reload(context))
    if (Result.isSuccess(again)) stored = again.success
    // Obey the service's Retry-After even if the outcome cannot be stored.
    else if (decision._tag === "Release" && again.failure._tag === "TokenStoreError") {
      return yield* pause.afterAttempt(purpose, decision.response, { ...decision, isFirst })
    } else return yield* again.failure
  }
})

export const attempt = Effect.fnUntraced(function* (
  context: Context,
  purpose: Model.Purpose,
  stored: Stored,
  decision: Send
): Effect.fn.Return<Attempted, SessionError> {
  const { priorIntent, secret } = decision
  const { refusal } = SessionState.findSent(yield* context.state.get, secret) ?? {}
  if (refusal !== undefined) {
    // A token that was refused before ends its session again, because the store has lost the end.
    const base = { version: stored.version, record: decision.record }
    return (yield* apply(context, purpose, refusal.response, refusal.priorIntent, base)) ?? "LostRace"
  }
  const claimed = yield* context.claims.claim(stored, decision)
  if (claimed === undefined) return "LostRace"
  const sent = yield* Effect.scoped(send(context, purpose, decision, claimed))
  const { response } = sent
  if (purpose._tag === "Start" || (response._tag !== "Rejected" && response._tag !== "Malformed")) {
    return (yield* apply(context, purpose, response, priorIntent, sent.stored)) ?? "Sent"
  }
  // Load the record before declaring the session lost, because the store may have a newer session. The remembered
  // refusal keeps this token from being sent again, even if the load fails.
  yield* context.state.update(SessionState.addRefusal(secret, { response, priorIntent }))
  return (yield* apply(context, purpose, response, priorIntent, yield* reload(context))) ?? "Sent"
}, Effect.uninterruptible)
