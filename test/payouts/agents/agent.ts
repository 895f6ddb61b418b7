/** An agent that orders payouts over two servers, and repeats each call whose answer it has not heard. */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Servers } from "./servers.ts"
import { maxCalls, orderOf, ordersFor, type Way } from "./settings.ts"

export interface Heard {
  readonly calls: number
  /** Orders that were held, and orders that were refused, as far as the agent has heard. */
  readonly held: number
  readonly refused: Readonly<Record<string, number>>
  /** Orders whose every answer was lost. */
  readonly unheard: number
  /** Orders that were taken with another amount under a reference that was held. */
  readonly changed: number
}

export const makeAgent = (servers: Servers, random: Source, payouts: number, how: Way) => {
  let [calls, held, unheard, changed, done] = [0, 0, 0, 0, 0]
  const refused: Record<string, number> = {}
  const call = (order: object) => {
    calls++
    return servers.call(random.below(2), "submit_payout", order)
  }
  /** Calls again and again, also while an earlier call is under way. */
  const hear = Effect.fnUntraced(function* (index: number) {
    const order = orderOf(index)
    for (let at = 0; at < maxCalls; at++) {
      const answer = call(how === "renamed" ? { ...order, reference: `${order.reference}-${at}` } : order)
      const isLost = at < maxCalls - 1 && random.chance(0.4)
      if (isLost) yield* Effect.sleep(random.below(40))
      const heard = isLost ? undefined : yield* Effect.promise(() => answer)
      if (heard !== undefined) return heard
    }
    return undefined
  })
  const want = Effect.fnUntraced(function* (index: number) {
    const answer = yield* hear(index)
    done++
    if (answer === undefined) return void unheard++
    if (answer.error !== undefined) {
      refused[answer.error] = (refused[answer.error] ?? 0) + 1
      return
    }
    held++
    if (how !== "held" || !random.chance(0.1)) return
    const other = yield* Effect.promise(() => call({ ...orderOf(index), amount: "4" }))
    if (other !== undefined && other.error !== "ReferenceConflict") changed++
  })
  const indexes = Array.from({ length: ordersFor(payouts) }, (_, index) => index)
  return {
    /** Orders everything. */
    run: Effect.forEach(indexes, want, { concurrency: 16, discard: true }),
    /** The part of the orders that it has done with. */
    progress: () => done / indexes.length,
    heard: (): Heard => ({ calls, held, refused, unheard, changed })
  }
}
