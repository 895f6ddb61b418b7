/** Looks at the records from outside, and what must not be seen there. */
import { TokenStore } from "@effect-custody/authentication"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { Start } from "./protocol.ts"
import { storeOf } from "./stores.ts"

interface Sight {
  readonly version: number
  readonly startedAt: number
  readonly generation: number
}

/** A store of one's own, through which every record is seen to decode, and never to go back. */
export const makeLooks = Effect.fnUntraced(function* (start: Pick<Start, "key" | "store">) {
  const layer = yield* Effect.promise(() => storeOf(start))
  const store = Context.get(yield* Layer.build(Layer.fresh(layer)), TokenStore)
  const sights = new Map<string, Sight>()
  const torn: Array<string> = []
  // One after the other, so that what is seen later is later.
  const oneByOne = Semaphore.makeUnsafe(1)
  let count = 0

  const at = (identity: string) =>
    store.load(identity).pipe(
      Effect.map((stored) => {
        count++
        if (Option.isNone(stored)) {
          if (sights.has(identity)) torn.push(`${identity}: there is no record any more`)
          return undefined
        }
        const { record, version } = stored.value
        const { generation = -1, startedAt = 0 } = record.session ?? {}
        const before = sights.get(identity)
        if (before !== undefined && version < before.version) torn.push(`${identity}: an older version`)
        if (before !== undefined && (startedAt < before.startedAt || generation < before.generation)) {
          torn.push(`${identity}: generation ${generation} after ${before.generation}`)
        }
        sights.set(identity, { version, startedAt, generation })
        return { ...record, generation }
      }),
      Effect.catch(({ message }) =>
        Effect.sync(() => {
          count++
          torn.push(`${identity}: ${message}`)
          return undefined
        })
      ),
      (look) => oneByOne.withPermit(look)
    )

  return { at, torn, count: () => count }
})
