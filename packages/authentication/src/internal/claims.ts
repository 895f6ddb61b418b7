/**
 * Claims the stored record before a secret is sent. An API key takes two writes: the claim, then the mark that the key is
 * about to be sent. Only the mark burns the key. A refresh token that was claimed and not sent is in doubt.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { uptime } from "./clock.ts"
import type { RequestDecision } from "./decision/model.ts"
import { withoutClaims, withoutMarks } from "./decision/onResponse.ts"
import * as Lease from "./lease.ts"
import type { Parts } from "./sessionState.ts"

type Send = Extract<RequestDecision, { _tag: "Send" }>

export interface Claims extends ReturnType<typeof make> {}

export const make = ({ owner, state, store, timing }: Parts) => {
  // Others may have watched the claim for as long.
  const longestWrite = Duration.toMillis(timing.leaseTimeout) / 2
  const brief = Lease.renewalInterval(timing)

  /** `undefined` if another process was faster, or the write took too long. */
  const write = Effect.fnUntraced(function* (from: number, record: SessionRecord) {
    const askedAt = yield* uptime
    const version = yield* store.replace(from, record)
    const isFresh = (yield* uptime) - askedAt <= longestWrite
    return Option.isSome(version) && isFresh ? { owner, record, version: version.value, askedAt } : undefined
  })

  /**
   * Takes back the claims of this process whose keys were never sent. `false`: it has to be tried again. While another
   * process holds the lease, its own record would bring a claim back.
   */
  const withdraw = Effect.gen(function* () {
    const { unsent } = yield* state.get
    if (unsent.length === 0) return true
    const { record, version } = yield* store.load
    const without = withoutClaims(record, owner, unsent)
    if (without !== record) {
      if (record.lease !== undefined && record.lease.owner !== owner) return false
      if (Option.isNone(yield* store.replace(version, without))) return false
    }
    yield* state.update((now) => ({ unsent: now.unsent.filter((one) => !unsent.includes(one)) }))
    return true
  })

  return {
    withdraw,
    /** Withdraws the claims that a rotation has left, within a bounded time. What fails is left to the next rotation. */
    withdrawSoon: Effect.ignore(Effect.timeoutOption(withdraw, brief)),
    /** Claims the record; with an API key, marks it as about to be sent. `undefined`: look again. */
    claim: Effect.fnUntraced(function* (stored: Stored, { mark, record }: Send) {
      const others = (yield* state.get).unsent.filter((one) => one !== mark)
      if (mark !== undefined) yield* state.update({ unsent: [...others, mark] })
      const claim = withoutMarks(record, others)
      const claimed = yield* write(stored.version, claim)
      return claimed === undefined || mark === undefined
        ? claimed
        : yield* write(claimed.version, { ...claim, spentKeys: [...claim.spentKeys, mark] })
    })
  }
}
