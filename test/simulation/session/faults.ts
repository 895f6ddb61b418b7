/** What goes wrong in a run, drawn from its seed. Every single fault has a number, so that it can be left out. */
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
  // The answer holds both tokens, and is not as it should be.
  "answer encoded",
  "answer cut late",
  "answer odd",
  // The whole host stands still, for longer than a request may take, while the answer arrives.
  "frozen answer",
  "endpoint slow",
  // The record is gone.
  "deleted",
  // An operator deletes or restores it while a secret is on its way.
  "replaced meanwhile",
  // Each read of the store takes long, to the end.
  "reads slow",
  // The acknowledgement of each write may take long.
  "writes slow",
  // For a while the store takes no writes, from anybody: a full disk, a lock from outside, a replica that took over.
  "writes stop",
  // The connection for a request takes long: nothing is written until it is there.
  "connect slow",
  // The read that follows a conflict does not end.
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
  /** Nothing goes wrong any more. */
  isOver = false
  private index = 0
  private readonly enabled: ReadonlyMap<Kind, number>
  private readonly chance: Chance
  private readonly forms: Chance
  private readonly without: ReadonlySet<number>
  private readonly time: () => number

  constructor(seed: number, without: ReadonlySet<number>, time: () => number) {
    this.chance = chance(seed, 2)
    this.forms = chance(seed, 3)
    this.without = without
    this.time = time
    // Each run knows only some kinds: what never comes together is found apart, too.
    const share = this.chance.between(0.05, 0.5)
    const often = this.chance.of([0.02, 0.05, 0.1, 0.25])
    this.enabled = new Map(
      kinds.filter(() => this.chance.happens(share)).map((kind) => [kind, often * this.chance.between(0.3, 1)] as const)
    )
  }

  knows(kind: Kind): boolean {
    return this.enabled.has(kind)
  }

  /** One of these faults now, or none. */
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

  /** One of the forms that a fault can take. */
  form<A>(choices: ReadonlyArray<A>): A {
    return this.forms.of(choices)
  }
}
