/** Checks the stored records from outside the workers. */
import { TokenStore } from "@effect-custody/authentication"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import type { Start } from "./protocol.ts"
import { openStore } from "./stores.ts"

interface Version {
  readonly version: number
  readonly startedAt: number
  readonly generation: number
}

/** Reads records through a store of its own. Every record must decode, and none may go back. */
export const makeRecordChecks = Effect.fnUntraced(function* (
  start: Pick<Start, "key" | "store">,
  /** The attempts to read a record, a second apart, of a store that is restarted. */
  retries = 0
) {
  const layer = yield* Effect.promise(() => openStore(start))
  const store = Context.get(yield* Layer.build(Layer.fresh(layer)), TokenStore)
  const latest = new Map<string, Version>()
  const torn: Array<string> = []
  // Reads run one at a time, so a later read sees a later state.
  const oneByOne = Semaphore.makeUnsafe(1)
  let count = 0

  const read = (identity: string) =>
    store.load(identity).pipe(
      Effect.retry({ times: retries, schedule: Schedule.spaced("1 second") }),
      Effect.map((stored) => {
        count++
        if (Option.isNone(stored)) {
          if (latest.has(identity)) torn.push(`${identity}: there is no record any more`)
          return undefined
        }
        const { record, version } = stored.value
        const { generation = -1, startedAt = 0 } = record.session ?? {}
        const before = latest.get(identity)
        if (before !== undefined && version < before.version) torn.push(`${identity}: an older version`)
        if (before !== undefined && (startedAt < before.startedAt || generation < before.generation)) {
          torn.push(`${identity}: generation ${generation} after ${before.generation}`)
        }
        latest.set(identity, { version, startedAt, generation })
        return { ...record, generation }
      }),
      Effect.catch(({ message }) =>
        Effect.sync(() => {
          count++
          torn.push(`${identity}: ${message}`)
          return undefined
        })
      ),
      (once) => oneByOne.withPermit(once)
    )

  return { read, torn, count: () => count }
})
