/** An operation compiled under a contract. */
import type { Inverse, Wire } from "@effect-custody/core/unstable/Wires"

export interface CompiledOperation {
  readonly wire: Wire
  /** The service's side of the wire, or the reason why the operation has none. */
  readonly inverse: Inverse | string
}
