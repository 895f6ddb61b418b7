/** The events of a session. What carries them is made for the first subscriber: most sessions never have one. */
import type { SessionEvent } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"

export interface SessionEvents extends ReturnType<typeof make> {}

/** How many events a slow subscriber may be behind. */
const eventsKept = 256

export const make = () => {
  const channel = Ref.makeUnsafe<PubSub.PubSub<SessionEvent> | undefined>(undefined)
  const opened = Effect.flatMap(PubSub.sliding<SessionEvent>(eventsKept), (made) =>
    Ref.modify(channel, (known = made) => [known, known])
  )
  return {
    publish: (event: SessionEvent): Effect.Effect<void> =>
      Effect.flatMap(Ref.get(channel), (known) => (known === undefined ? Effect.void : PubSub.publish(known, event))),
    stream: Stream.unwrap(Effect.map(opened, Stream.fromPubSub))
  }
}
