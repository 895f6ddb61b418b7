/** The stream of an emulator's events. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EmulatorEvent } from "../model/EmulatorEvent.ts"
import * as Ledger from "../state/ledger.ts"
import type { World } from "../state/world.ts"

/** The longest sleep. A timer allows at most 24 days. */
const maxSleep = Duration.toMillis(Duration.days(1))

/** Waits until an event after `sequence` may exist: until the log changes, or the next scheduled event is due. */
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

/** Waits for at least one event after `sequence`. First settles what is due on the ledgers. */
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

/** Streams the events after the number `after`, and then future events. */
export const eventsAfter = (world: World, after: number): Stream.Stream<EmulatorEvent> =>
  Stream.suspend(() =>
    // A number beyond the newest comes from an earlier emulator at this address, before a restart.
    Stream.paginate(after > world.events.newest() ? 0 : after, (sequence) =>
      Effect.map(nextEvents(world, sequence), (events) => [events, Option.fromNullishOr(events.at(-1)?.sequence)])
    )
  )
