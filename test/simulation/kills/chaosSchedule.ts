/** Which worker is killed or frozen, and when. */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Phase } from "./protocol.ts"
import type { Worker } from "./workerProcess.ts"

export interface Settings {
  readonly store: "sqlite" | "postgres"
  readonly processes: number
  readonly kills: number
  /** How many sessions live side by side: while one waits for a dead holder's lease, the others go on. */
  readonly sessions: number
  /** The seed of the moments of the kills. It does not determine what the processes do. */
  readonly seed: number
  readonly leaseMillis: number
  /** How long workers listen for the answer to a refresh. If it is given, some are frozen for longer, within their lease. */
  readonly requestMillis?: number | undefined
  /** The share of hits that freeze a worker for that long. */
  readonly frozenSenders: number
  /** A bug to plant in the workers. */
  readonly bug?: string | undefined
}

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
  released: 0,
  withdrawn: 0
}
/** How long to wait for a worker to reach a phase. */
const patience = 2_500
/**
 * The longest delay from a phase to the kill or freeze; mostly it is shorter. One and a half times as long as a
 * rotation.
 */
const afterPhase = 60
/** The longest delay without aim, in milliseconds of a worker's life. */
const anyMoment = 1_500
const aimed = 0.7
const freezing = 0.12
const freezingPastLease = 0.4

/** Waits for the moment, and returns what happens then: a freeze of so many milliseconds, or a kill (`undefined`). */
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
 * Whether a worker is spared now, because some have to outlive a lease. Each place in turn is protected for several
 * leases.
 */
export const isSpared = (place: number, places: number, millis: number, leaseMillis: number): boolean => {
  const spared = Math.max(1, Math.floor((places * 3) / 8))
  const first = Math.floor(millis / (1.5 * leaseMillis)) % places
  return (place - first + places) % places < spared
}
