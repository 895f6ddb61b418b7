/**
 * Calls that wait for a token. One fiber asks the session for all that want the same. A call that waits has a place in a
 * list and a timer for its deadline, and no fiber but its own.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as MutableRef from "effect/MutableRef"
import type { SessionError } from "../SessionError.ts"
import type { AccessToken } from "../TokenService.ts"
import { type Call, timeLeft } from "./exchange.ts"
import * as Timer from "./timer.ts"

type Ask = Effect.Effect<AccessToken, SessionError>
type Answer = Exit.Exit<AccessToken, SessionError>

/** A question to the session, and the calls that wait for its answer. */
interface Question {
  /** The key under which other calls find it. */
  readonly key: unknown
  readonly waiting: Set<(answer: Answer) => void>
  asking: Fiber.Fiber<AccessToken, SessionError> | undefined
}

export interface TokenWaits extends ReturnType<typeof make> {}

export const make = () => {
  const shared = new Map<unknown, Question>()
  const count = MutableRef.make(0)

  const open = (key: unknown): Question => {
    const question: Question = { key, waiting: new Set(), asking: undefined }
    if (key !== undefined) shared.set(key, question)
    return question
  }

  /** Later calls start a new question. */
  const close = (question: Question): void => {
    if (question.key !== undefined && shared.get(question.key) === question) shared.delete(question.key)
  }

  const ask = (fiber: Fiber.Fiber<unknown, unknown>, question: Question, ask: Ask): void => {
    question.asking = Effect.runForkWith(fiber.context)(ask)
    question.asking.addObserver((answer) => {
      close(question)
      for (const resume of question.waiting) resume(answer)
    })
  }

  /** A call gives up. When no call is left, the question is interrupted. */
  const leave = (question: Question, resume: (answer: Answer) => void): void => {
    MutableRef.decrement(count)
    question.waiting.delete(resume)
    if (question.waiting.size > 0) return
    close(question)
    question.asking?.interruptUnsafe()
  }

  return {
    /** How many calls wait now. */
    count: () => MutableRef.get(count),

    /**
     * Waits for the answer to a question, until the call's deadline. Calls that ask under the same key share the answer to
     * the first of them; with `undefined`, a call asks for itself.
     */
    join: <E>(
      call: Call<unknown>,
      key: unknown,
      question: Ask,
      late: () => Effect.Effect<never, E>
    ): Effect.Effect<AccessToken, SessionError | E> =>
      Effect.withFiber((fiber) =>
        Effect.callback((resume) => {
          const known = key === undefined ? undefined : shared.get(key)
          const joined = known ?? open(key)
          const end = (result: Effect.Effect<AccessToken, SessionError | E>): void => {
            cancel()
            leave(joined, end)
            resume(result)
          }
          const cancel = Timer.after(fiber, timeLeft(fiber, call), () => Effect.sync(() => end(Effect.suspend(late))))
          MutableRef.increment(count)
          joined.waiting.add(end)
          if (known === undefined) ask(fiber, joined, question)
          return Effect.sync(() => {
            cancel()
            leave(joined, end)
          })
        })
      )
  }
}
