/** The events of a session as a stream. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type SessionEvent, TokenService } from "./TokenService.ts"

/**
 * The events after the subscription. A slow consumer loses the oldest events, and never delays a rotation.
 *
 * @since 0.1.0
 * @category getters
 *
 * @example
 * ```ts
 * import { SessionEvents } from "@effect-custody/core"
 * import { Effect, Stream } from "effect"
 *
 * const watch = SessionEvents.stream.pipe(
 *   Stream.runForEach((event) => Effect.logInfo("session", event))
 * )
 * ```
 */
export const stream: Stream.Stream<SessionEvent, never, TokenService> = Stream.unwrap(
  Effect.gen(function* () {
    const { subscribe } = yield* TokenService
    const events = yield* Queue.sliding<SessionEvent>(64)
    yield* subscribe((event) => Queue.offerUnsafe(events, event))
    return Stream.fromQueue(events)
  })
)
