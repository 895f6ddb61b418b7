/**
 * Lets the runtime read its sockets. After a freeze (a paused container, a suspended laptop, a stall of the event loop)
 * timers fire before what has arrived meanwhile is read: a time limit that has passed says nothing until then.
 */
import * as Effect from "effect/Effect"

/** How often the event loop turns. One turn reads a socket; the others pass the answer on to the waiting fiber. */
const turns = 32

/** Completes when the event loop has turned several times. It takes no time of the `Clock`. */
export const socketsRead: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: turns })
