/** Reports a session to its operators: spans, durations, gauges and counts. */
import * as Span from "@effect-custody/core/Span"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { Listener } from "@effect-custody/core/Listener"
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Rotation } from "../refresh/rotation.ts"
import * as SessionState from "../session/sessionState.ts"

/** The outcome of a rotation for each event that the rotation publishes. */
const outcomes: Readonly<Record<SessionEvent["_tag"], string | undefined>> = {
  Started: "started",
  Rotated: "rotated",
  Persisted: undefined,
  NotPersisted: "unpersisted",
  Adopted: "adopted",
  RefreshFailed: "failed",
  Ambiguous: "ambiguous",
  Lost: "lost"
}

/** The outcome of the running rotation so far. Not every event has an outcome: this is the latest one. */
const RotationOutcome = Context.Reference<MutableRef.MutableRef<string | undefined> | undefined>(
  "@effect-custody/authentication/service/RotationOutcome",
  { defaultValue: () => undefined }
)

export const make = Effect.fnUntraced(function* (options: {
  readonly identity: string
  readonly listener: Listener | undefined
  readonly state: Ref.Ref<SessionState.SessionState>
}) {
  const { identity, listener, state } = options

  if (listener !== undefined) {
    // Report a zero for each event, because monitoring sees the first increase only if there was a zero before.
    for (const event of Object.keys(outcomes)) listener.sessionEvent(event, 0)
    yield* listener.showSession(() => {
      const now = Ref.getUnsafe(state)
      return {
        state: SessionState.status(identity)(now).state,
        generation: now.session?.generation,
        obtainedAt: now.session?.obtainedAt,
        isStored: now.isDurable
      }
    })
  }

  return {
    /** Counts an event. */
    observe: ({ _tag }: SessionEvent): Effect.Effect<void> =>
      Effect.withFiber((fiber) => {
        listener?.sessionEvent(_tag)
        const outcome = outcomes[_tag]
        const seen = fiber.getRef(RotationOutcome)
        if (seen !== undefined && outcome !== undefined) MutableRef.set(seen, outcome)
        return Effect.void
      }),

    rotation:
      (rotation: Rotation): Rotation =>
      (purpose, keys) =>
        Effect.withFiber((fiber) => {
          if (listener === undefined && !Span.isTraced(fiber)) return rotation(purpose, keys)
          const clock = fiber.getRef(Clock.Clock)
          const began = clock.monotonicTimeNanosUnsafe()
          const seen = MutableRef.make<string | undefined>(undefined)
          const ended = (exit: Exit.Exit<AccessToken, SessionError>): Span.End => {
            const outcome = MutableRef.get(seen)
            const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
            if (outcome !== undefined) listener?.rotationEnded(outcome, seconds)
            const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
            const failure = Exit.isSuccess(exit) ? undefined : (error?._tag ?? "Defect")
            return {
              attributes: {
                "custody.outcome": outcome ?? (failure === undefined ? "unneeded" : "not_sent"),
                "custody.generation": Exit.isSuccess(exit) ? exit.value.generation : undefined,
                "error.type": failure
              },
              failure
            }
          }
          const followed = Effect.provideService(rotation(purpose, keys), RotationOutcome, seen)
          const attributes = {
            "custody.session.identity": identity,
            "custody.generation.before": purpose._tag === "Refresh" ? purpose.session.generation : undefined
          }
          const name = purpose._tag === "Refresh" ? "custody.session.rotate" : "custody.session.start"
          return Span.follow(followed, name, { kind: "internal", attributes }, ended)
        })
  }
})
