/** What this process believes, and everybody who wants to know when it changes. */
import type { SessionLost, StoredSessionInvalid } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { keyOf, type Session } from "../Session.ts"
import * as Belief from "./sessionState.ts"
import { uptime } from "./clock.ts"

export interface State extends Effect.Success<typeof make> {}

/** How many events a slow reader may be behind. */
const eventsKept = 256

export const make = Effect.gen(function* () {
  const happened = yield* PubSub.sliding<SessionEvent>(eventsKept)
  let belief = Belief.nothing
  let change = Deferred.makeUnsafe<void>()

  const tell = (event: SessionEvent) => PubSub.publish(happened, event)

  const note = (changes: Partial<Belief.Belief>) =>
    Effect.sync(() => {
      belief = { ...belief, ...changes }
    })

  /** From here on calls use this session. */
  const use = Effect.fnUntraced(function* (session: Session, isDurable: boolean, event: SessionEvent) {
    belief = { ...Belief.outliving(belief), session, isDurable, usedSince: yield* uptime }
    const changed = change
    change = Deferred.makeUnsafe<void>()
    yield* Deferred.succeed(changed, undefined)
    yield* tell(event)
    return Belief.accessToken(session)
  })

  /** Uses a session that is in the store. */
  const adopt = (session: Session): Effect.Effect<AccessToken> =>
    Effect.suspend(() => {
      const known = Belief.liveSession(belief)
      return known !== undefined && keyOf(known) === keyOf(session)
        ? Effect.succeed(Belief.accessToken(known))
        : use(session, true, { _tag: "Adopted", generation: session.generation })
    })

  /** A session cannot go on. Said once. */
  const end = Effect.fnUntraced(function* (error: SessionLost | StoredSessionInvalid, session: Session | undefined) {
    const known = belief.end
    yield* note(Belief.afterEnd(belief, session, error))
    if (error._tag === "SessionLost" && known === undefined) yield* tell({ _tag: "Lost", generation: error.generation })
    return yield* error
  })

  return {
    known: () => belief,
    note,
    tell,
    use,
    adopt,
    end,
    /** Waits until another session is used than now. */
    nextSession: Effect.suspend(() => Deferred.await(change)),
    events: Stream.fromPubSub(happened)
  }
})
