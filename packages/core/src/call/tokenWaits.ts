/**
 * Calls that wait for a token. One fiber asks the session on behalf of all calls with the same question. A waiting call
 * needs an entry in a set and a timer for its deadline, but no additional fiber.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { SessionError } from "../errors/SessionError.ts"
import type { AccessToken } from "../session/TokenService.ts"
import { timeLeft } from "./callState.ts"
import { runAfter } from "../http/timeLimit.ts"

/** A question to the session, and the calls that wait for its answer. */
interface Question {
  readonly waiting: Set<(answer: Exit.Exit<AccessToken, SessionError>) => void>
  asking: Fiber.Fiber<AccessToken, SessionError> | undefined
}

export interface TokenWaits extends ReturnType<typeof make> {}

export const make = () => {
  const questions = new Map<unknown, Question>()
  let count = 0

  const start = (
    fiber: Fiber.Fiber<unknown, unknown>,
    key: unknown,
    question: Question,
    ask: Effect.Effect<AccessToken, SessionError>
  ): void => {
    question.asking = Effect.runForkWith(fiber.context)(ask)
    question.asking.addObserver((answer) => {
      close(key, question)
      for (const resume of question.waiting) resume(answer)
    })
  }

  /** Closes a question, so that later calls with the same key start a new question. */
  const close = (key: unknown, question: Question): void => {
    if (questions.get(key) === question) questions.delete(key)
  }

  return {
    /** The number of calls that wait now. */
    count: () => count,

    /**
     * Waits for the result of an effect until `endsAt`, in seconds of the monotonic clock. Calls with the same key
     * share the effect that the first call started. When the last waiting call leaves, the effect is interrupted.
     */
    join: <E>(
      endsAt: number,
      key: unknown,
      ask: Effect.Effect<AccessToken, SessionError>,
      late: () => Effect.Effect<never, E>
    ): Effect.Effect<AccessToken, SessionError | E> =>
      Effect.withFiber((fiber) =>
        Effect.callback((resume) => {
          const known = questions.get(key)
          const question = known ?? { waiting: new Set(), asking: undefined }
          const leave = (): void => {
            cancel()
            count--
            question.waiting.delete(end)
            if (question.waiting.size > 0) return
            close(key, question)
            question.asking?.interruptUnsafe()
          }
          const end = (result: Effect.Effect<AccessToken, SessionError | E>): void => {
            leave()
            resume(result)
          }
          const cancel = runAfter(fiber, timeLeft(fiber, endsAt), () => Effect.sync(() => end(Effect.suspend(late))))
          count++
          question.waiting.add(end)
          if (known === undefined) {
            questions.set(key, question)
            start(fiber, key, question, ask)
          }
          return Effect.sync(leave)
        })
      )
  }
}
