/** What the model decides itself, because the product decides it between effects. A planted bug wraps one of these. */
import type { Holding } from "../../../packages/authentication/src/decide.ts"
import type { SessionState } from "../../../packages/authentication/src/sessionState.ts"
import type { Process, World } from "./world.ts"

/** A lease has two halves, the unit of `watch.millis` here. */
export const leaseTimeout = 2

/** `isHeld` of `whileRenewing`: `true` if the process may still send its secret. */
export const isHeld = ({ stale }: Process, { _tag }: Holding): boolean => _tag === "Held" && stale < leaseTimeout

/** `writeOnShutdown`: a process closes when the store has its tokens. */
export const mayClose = ({ unstored }: SessionState, _world: World): boolean => unstored === undefined
