/**
 * Claims on the stored record: written before a secret is sent, and withdrawn if it certainly never was.
 *
 * A claim of an API key takes two writes: the claim, and the mark that the key is about to be sent. Only the mark burns
 * the key.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { uptime } from "./clock.ts"
import { type Purpose, type RequestDecision, sameSecret, secretOf } from "./decision/model.ts"
import { type Unsent, withoutClaim, withoutMark } from "./decision/onResponse.ts"
import * as Lease from "./lease.ts"
import type { RecordStore } from "./recordStore.ts"
import type { StateAccess } from "./sessionState.ts"

type Send = Extract<RequestDecision, { _tag: "Send" }>

export interface Claims extends ReturnType<typeof make> {}

/** The claims of other secrets. A secret that is about to be sent must keep its mark, so no claim of it is withdrawn. */
export const withoutSecret = (unsent: ReadonlyArray<Unsent>, purpose: Purpose): ReadonlyArray<Unsent> =>
  unsent.filter((one) => one.purpose !== purpose && !sameSecret(secretOf(one.purpose), secretOf(purpose)))

/** The part of a lease within which a claim must be written: others may have watched it for as long. */
const freshClaim = 0.5

export const make = (options: {
  readonly owner: string
  readonly timing: { readonly leaseTimeout: Duration.Duration }
  readonly state: StateAccess
  readonly store: RecordStore
}) => {
  const { owner, state, store, timing } = options
  const longestWrite = Duration.toMillis(timing.leaseTimeout) * freshClaim
  const brief = Lease.renewalInterval(timing)

  /** Writes a record under our lease. `undefined` if another process was faster, or the write took too long. */
  const write = Effect.fnUntraced(function* (from: number, record: SessionRecord) {
    const askedAt = yield* uptime
    const version = yield* store.replace(from, record)
    const isFresh = (yield* uptime) - askedAt <= longestWrite
    return Option.isSome(version) && isFresh ? { owner, record, version: version.value, askedAt } : undefined
  })

  /**
   * Takes back the claims of this process whose secrets were never sent. `false`: it has to be tried again. While another
   * process holds the lease, its own record would bring a claim back.
   */
  const withdraw = Effect.gen(function* () {
    const { unsent } = yield* state.get
    if (unsent.length === 0) return true
    const { record, version } = yield* store.load
    const without = unsent.reduce((rest, one) => withoutClaim(rest, owner, one), record)
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
    claim: Effect.fnUntraced(function* (purpose: Purpose, stored: Stored, { mark, priorIntent, record }: Send) {
      const others = withoutSecret((yield* state.get).unsent, purpose)
      yield* state.update({ unsent: [...others, { purpose, priorIntent }] })
      const clean = (from: SessionRecord) => others.reduce((rest, one) => withoutMark(rest, owner, one), from)
      const claimed = yield* write(stored.version, clean(record))
      return claimed === undefined || mark === undefined ? claimed : yield* write(claimed.version, clean(mark))
    })
  }
}
