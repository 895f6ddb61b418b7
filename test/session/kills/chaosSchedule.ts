/** Decides when to kill or freeze a worker. */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Phase } from "./protocol.ts"
import type { Worker } from "./workerProcess.ts"

export interface Settings {
  readonly store: "sqlite" | "postgres" | "redis"
  readonly processes: number
  readonly kills: number
  /** The number of concurrent sessions. While one session waits for a dead holder's lease, the others continue. */
  readonly sessions: number
  /** The seed of the schedule. It does not determine the behavior of the processes. */
  readonly seed: number
  readonly leaseMillis: number
  /** The time limit of a refresh. If it is set, some workers are frozen for longer than this, within their lease. */
  readonly requestMillis?: number | undefined
  /** The share of hits that freeze a worker for longer than `requestMillis`. */
  readonly frozenSenders: number
  /** A bug to plant in the workers. */
  readonly bug?: string | undefined
}

/** The weights of the phases to hit: around the exchange of the secret, and while another process holds the lease. */
const phaseWeights: Readonly<Record<Phase, number>> = {
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
/** The time limit for a worker to reach a phase. */
const maxPhaseWait = 2_500
/** The maximum delay from a phase to the hit, about one and a half rotations. Most delays are shorter. */
const maxDelayAfterPhase = 60
/** The maximum delay of a hit that waits for no phase. */
const maxRandomDelay = 1_500
const phaseShare = 0.7
const freezeShare = 0.12
const pastLeaseShare = 0.4

/** Waits for the moment of the next hit. Returns the milliseconds of a freeze, or `undefined` for a kill. */
export const nextHit = Effect.fnUntraced(function* (
  worker: Worker,
  random: Source,
  limits: Pick<Settings, "frozenSenders" | "leaseMillis" | "requestMillis">
) {
  const { frozenSenders, leaseMillis, requestMillis } = limits
  // The worker freezes during a request. No other worker may take over until it has read the answer.
  if (requestMillis !== undefined && random.chance(frozenSenders)) {
    yield* worker.awaitPhase("sends", maxPhaseWait)
    return requestMillis * (1.1 + random.next() * 0.3)
  }
  if (random.chance(phaseShare)) {
    yield* worker.awaitPhase(random.weighted(phaseWeights), maxPhaseWait)
    yield* Effect.sleep(random.next() ** 2 * maxDelayAfterPhase)
  } else yield* Effect.sleep(random.next() * maxRandomDelay)
  if (!random.chance(freezeShare)) return undefined
  return random.chance(pastLeaseShare) ? leaseMillis * (1.05 + random.next() * 0.25) : leaseMillis * random.next() * 0.5
})

/** `true` while a slot is protected, so that some workers outlive a lease. Each slot has its turn of several leases. */
export const isSpared = (slot: number, slots: number, millis: number, leaseMillis: number): boolean => {
  const spared = Math.max(1, Math.floor((slots * 3) / 8))
  const first = Math.floor(millis / (1.5 * leaseMillis)) % slots
  return (slot - first + slots) % slots < spared
}
