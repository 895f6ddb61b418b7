/** An operation under a contract. */
import type { Inverse, Wire } from "@effect-custody/core/unstable/Wires"

export interface CompiledOperation {
  readonly wire: Wire
  /** The service's side, or the reason why there is none. */
  readonly inverse: Inverse | string
}
