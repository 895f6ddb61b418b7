/** Whom it hits, when, and how. */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Phase } from "./protocol.ts"
import type { Settings } from "./run.ts"
import type { Worker } from "./workers.ts"

/** Before, while and after the secret is sent and its answer stored, and while another holds the lease. */
const phases: Readonly<Record<Phase, number>> = {
  claims: 3,
  claimed: 3,
  sends: 6,
  stored: 2,
  waits: 2,
  adopted: 1,
  renewed: 0,
  yields: 0,
  ended: 0,
  released: 0
}
/** How long a worker is stalked that does not get there. */
const patience = 2_500
/** How long it takes, at most, from a phase to the blow, mostly less: as long as a rotation, and half of that again. */
const afterPhase = 60
/** When it is not aimed at all: at the latest after so many milliseconds of a worker's life. */
const anyMoment = 1_500
const aimed = 0.7
const freezing = 0.12
const freezingPastLease = 0.4

/** Waits for the moment, and says what it is that happens then: so many milliseconds of ice, or the end. */
export const blow = Effect.fnUntraced(function* (
  worker: Worker,
  random: Source,
  limits: Pick<Settings, "frozenSenders" | "leaseMillis" | "requestMillis">
) {
  const { frozenSenders, leaseMillis, requestMillis } = limits
  // A request is on its way when it freezes, and nobody may take over until it has read the answer.
  if (requestMillis !== undefined && random.chance(frozenSenders)) {
    yield* worker.inPhase("sends", patience)
    return requestMillis * (1.1 + random.next() * 0.3)
  }
  if (random.chance(aimed)) {
    yield* worker.inPhase(random.weighted(phases), patience)
    yield* Effect.sleep(random.next() ** 2 * afterPhase)
  } else yield* Effect.sleep(random.next() * anyMoment)
  if (!random.chance(freezing)) return undefined
  return random.chance(freezingPastLease)
    ? leaseMillis * (1.05 + random.next() * 0.25)
    : leaseMillis * random.next() * 0.5
})

/**
 * Which of the places are spared now: somebody has to see a lease out. One place after the other comes under cover, and
 * stays there for several leases.
 */
export const isSpared = (place: number, places: number, millis: number, leaseMillis: number): boolean => {
  const spared = Math.max(1, Math.floor((places * 3) / 8))
  const first = Math.floor(millis / (1.5 * leaseMillis)) % places
  return (place - first + places) % places < spared
}
