/** Stores a new session before anyone uses it; where the store fails, says so, and tries until it succeeds. */
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { isNewer, keyOf, type Session, type SessionRecord } from "../Session.ts"
import type { Journal } from "./recordStore.ts"
import type { State } from "./state.ts"

export interface Keeper extends Effect.Success<ReturnType<typeof make>> {}

/** How an unpersisted session is written again. */
const rewriting = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

export const make = Effect.fnUntraced(function* (options: {
  readonly name: string
  readonly journal: Journal
  readonly state: State
}) {
  const { journal, name, state } = options

  // The last thing that is done: a session that could not be stored gets one more chance.
  let unstored: SessionRecord | undefined
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (unstored === undefined ? Effect.void : Effect.ignore(journal.persist(unstored))))
  )
  const rewriter = yield* FiberHandle.make()

  /** What became of a session that was to be stored: it stands, or a newer one does. */
  const settled = Effect.fnUntraced(function* (session: Session, stands: Session | undefined) {
    unstored = undefined
    if (stands !== undefined && isNewer(stands, session)) return void (yield* state.adopt(stands))
    const known = state.known().session
    if (known === undefined || keyOf(known) !== keyOf(session)) return
    yield* state.note({ isDurable: true })
    yield* state.tell({ _tag: "Persisted", generation: session.generation })
  })

  const persistLater = (record: SessionRecord, session: Session) =>
    journal.persist(record).pipe(
      Effect.uninterruptible,
      Effect.retry(rewriting),
      // A newer session may have been stored meanwhile: then nobody waits for this one.
      Effect.flatMap((stands) => (unstored === record ? settled(session, stands) : Effect.void)),
      FiberHandle.run(rewriter)
    )

  return {
    /** Stores a session made from a record of the given version, and only then lets calls use it. */
    publish: Effect.fnUntraced(function* (
      { record, session }: { readonly record: SessionRecord; readonly session: Session },
      version: number,
      event: SessionEvent["_tag"] & ("Started" | "Rotated")
    ): Effect.fn.Return<AccessToken> {
      const stored = yield* Effect.result(journal.persist(record, version))
      if (Result.isSuccess(stored)) {
        unstored = undefined
        const stands = stored.success ?? session
        return stands.accessToken === session.accessToken
          ? yield* state.use(stands, true, { _tag: event, generation: stands.generation })
          : yield* state.adopt(stands)
      }
      const reason = stored.failure.message
      yield* Effect.logWarning(`${name}: the session of generation ${session.generation} is not stored yet: ${reason}`)
      unstored = record
      const token = yield* state.use(session, false, { _tag: "NotPersisted", generation: session.generation, reason })
      yield* persistLater(record, session)
      return token
    })
  }
})
