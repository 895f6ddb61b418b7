/** Draws the faults of a run from its seed. Each fault has a number, so that a later run can leave it out. */
import { type Chance, chance } from "./chance.ts"

export const kinds = [
  "crash",
  "stop",
  "pause",
  "pause past the lease",
  "request lost",
  "request refused",
  "answer lost",
  "answer slow",
  "no answer",
  "in doubt before",
  "in doubt after",
  "not processed",
  "garbage",
  "no refresh token",
  "store fails before",
  "store fails after",
  "store slow",
  "store hangs",
  "clock jumps",
  "revoked",
  "restored",
  "caller gives up",
  "call in doubt",
  // The answer holds both tokens, and is malformed.
  "answer encoded",
  "answer cut late",
  "answer odd",
  // The whole host is frozen for longer than the time limit of a request, while the answer arrives.
  "frozen answer",
  "endpoint slow",
  // The record is deleted.
  "deleted",
  // An operator deletes or restores the record while a secret is sent.
  "replaced meanwhile",
  // Every read of the store is slow for the rest of the run.
  "reads slow",
  // The acknowledgement of a write may be slow.
  "writes slow",
  // For a while the store takes no writes: a full disk, a foreign lock, a replica that took over.
  "writes stop",
  // The connection for a request is slow. Nothing is written before it exists.
  "connect slow",
  // The read after a conflict does not end.
  "read hangs after a conflict"
] as const
export type Kind = (typeof kinds)[number]

export interface Fault {
  readonly index: number
  readonly kind: Kind
  readonly at: number
  readonly where: string
}

export class Faults {
  readonly played: Array<Fault> = []
  /** `true` when no more faults happen. */
  isOver = false
  private index = 0
  private readonly enabled: ReadonlyMap<Kind, number>
  private readonly chance: Chance
  private readonly forms: Chance
  private readonly without: ReadonlySet<number>
  private readonly time: () => number

  constructor(seed: number, without: ReadonlySet<number>, time: () => number, only: ReadonlyArray<Kind> = kinds) {
    this.chance = chance(seed, 2)
    this.forms = chance(seed, 3)
    this.without = without
    this.time = time
    // Each run has only some kinds of faults, so that a bug of a few kinds is found without the others.
    const share = this.chance.between(0.05, 0.5)
    const often = this.chance.of([0.02, 0.05, 0.1, 0.25])
    this.enabled = new Map(
      kinds
        .filter(() => this.chance.happens(share))
        .map((kind) => [kind, often * this.chance.between(0.3, 1)] as const)
        .filter(([kind]) => only.includes(kind))
    )
  }

  knows(kind: Kind): boolean {
    return this.enabled.has(kind)
  }

  /** Draws one of these faults, or none. */
  draw(where: string, ...candidates: ReadonlyArray<Kind>): Kind | undefined {
    for (const kind of candidates) {
      const probability = this.enabled.get(kind)
      if (probability === undefined || this.isOver || !this.chance.happens(probability)) continue
      const index = this.index++
      if (this.without.has(index)) continue
      this.played.push({ index, kind, at: this.time(), where })
      return kind
    }
    return undefined
  }

  /** Draws one of the forms of a fault. */
  form<A>(choices: ReadonlyArray<A>): A {
    return this.forms.of(choices)
  }
}
