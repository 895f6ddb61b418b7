/** The stream of an emulator's events. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EmulatorEvent } from "../model/EmulatorEvent.ts"
import * as Ledger from "../state/ledger.ts"
import type { World } from "../state/world.ts"

/** A timer cannot be longer than 24 days. */
const maxSleep = Duration.toMillis(Duration.days(1))

/** Waits until there may be an event after a number: at a change, or when the next scheduled event is due. */
const changed = ({ events }: World, sequence: number, now: number) => {
  const change = Effect.callback<void>((resume) => {
    if (events.newest() > sequence || events.nextAt() <= now) return resume(Effect.void)
    const next = events.nextAt()
    const stop = events.listen(() => {
      if (events.newest() > sequence || events.nextAt() < next) resume(Effect.void)
    })
    return Effect.sync(stop)
  })
  return Effect.timeoutOption(change, Math.min(maxSleep, Math.max(1, events.nextAt() - now)))
}

/** The events after a number, at least one. What is due on the ledgers happens first. */
const nextEvents = Effect.fnUntraced(function* (
  world: World,
  sequence: number
): Effect.fn.Return<ReadonlyArray<EmulatorEvent>> {
  while (true) {
    const now = yield* Clock.currentTimeMillis
    for (const vault of world.vaults()) Ledger.at(vault, now)
    const events = world.events.after(sequence, now)
    if (events.length > 0) return events
    yield* changed(world, sequence, now)
  }
})

/** The events after a number, and then those to come. */
export const eventsAfter = (world: World, after: number): Stream.Stream<EmulatorEvent> =>
  Stream.suspend(() =>
    // A number beyond the newest is of another emulator at the same address, before it was started again.
    Stream.paginate(after > world.events.newest() ? 0 : after, (sequence) =>
      Effect.map(nextEvents(world, sequence), (events) => [events, Option.fromNullishOr(events.at(-1)?.sequence)])
    )
  )
