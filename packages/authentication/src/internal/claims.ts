/**
 * Claims on the stored record: written before a secret is sent, and withdrawn if it certainly never was.
 *
 * A claim of an API key takes two writes: the claim, and the mark that the key is about to be sent. Only the mark burns
 * the key.
 */
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Intent, SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { uptime } from "./clock.ts"
import type { Purpose, RequestDecision } from "./decision/model.ts"
import { withoutClaim } from "./decision/onResponse.ts"
import * as Lease from "./lease.ts"
import type { RecordStore } from "./recordStore.ts"
import type { StateAccess } from "./sessionState.ts"

type Send = Extract<RequestDecision, { _tag: "Send" }>

/** A claim that was written, or may have been, whose secret was certainly not sent. */
export interface Unsent {
  readonly purpose: Purpose
  /** The intent that the claim replaced. */
  readonly priorIntent: Intent | undefined
}

export interface Claims extends Effect.Success<ReturnType<typeof make>> {}

/** A claim that took longer to write than this part of a lease is not acted on: others may have watched it as long. */
const freshClaim = 0.5

export const make = Effect.fnUntraced(function* (options: {
  readonly owner: string
  readonly timing: { readonly leaseTimeout: Duration.Duration }
  readonly state: StateAccess
  readonly store: RecordStore
}) {
  const { owner, state, store, timing } = options
  const longestWrite = Duration.toMillis(timing.leaseTimeout) * freshClaim
  const brief = Lease.renewalInterval(timing)

  /** Writes a record under our lease. `undefined` if somebody was faster, or the write took too long to rely on. */
  const write = Effect.fnUntraced(function* (from: number, record: SessionRecord) {
    const askedAt = yield* uptime
    const version = yield* store.replace(from, record)
    const isFresh = (yield* uptime) - askedAt <= longestWrite
    return Option.isSome(version) && isFresh ? { owner, record, version: version.value } : undefined
  })

  /** As `write`. If the store says that it failed, reads whether it had written; if so, writes over that once more. */
  const writeOrFind = (
    from: number,
    record: SessionRecord
  ): Effect.Effect<Lease.Claimed | undefined, TokenStoreError> =>
    Effect.catchTag(write(from, record), "TokenStoreError", (error) =>
      Effect.flatMap(Effect.option(Effect.timeoutOption(store.load, brief)), (found) => {
        const stored = Option.getOrUndefined(Option.flatten(found))
        return stored?.version === from + 1 && stored.record.lease?.owner === owner
          ? write(stored.version, record)
          : Effect.fail(error)
      })
    )

  /** Takes back the claim of this process whose secret was never sent, if there is one. */
  const withdraw: Effect.Effect<void, TokenStoreError> = Effect.gen(function* () {
    const { unsent } = yield* state.get
    if (unsent === undefined) return
    const stored = yield* store.load
    const record = withoutClaim(stored.record, owner, unsent.purpose, unsent.priorIntent)
    // On a conflict the claim is looked for once more at the next occasion.
    if (record !== undefined && Option.isNone(yield* store.replace(stored.version, record))) return
    yield* state.update({ unsent: undefined })
  })

  yield* Effect.addFinalizer(() => Effect.ignore(withdraw))

  return {
    withdraw,
    /** Withdraws what a rotation has left, within a bounded time; what fails is done by the next one, or at the end. */
    withdrawSoon: Effect.ignore(Effect.timeoutOption(withdraw, brief)),
    /** Claims the record; with an API key, marks it as about to be sent. `undefined`: look again. */
    claim: Effect.fnUntraced(function* (purpose: Purpose, stored: Stored, { mark, priorIntent, record }: Send) {
      yield* state.update({ unsent: { purpose, priorIntent } })
      const claimed = yield* writeOrFind(stored.version, record)
      return claimed === undefined || mark === undefined ? claimed : yield* writeOrFind(claimed.version, mark)
    })
  }
})
