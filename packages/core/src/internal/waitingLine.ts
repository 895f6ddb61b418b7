/**
 * A queue that lets one run at a time: of those that wait, the newest. Where more come than can go, the oldest would have
 * no time left to be sent, and calls that are cut short under way leave their outcome unknown.
 */
import * as Effect from "effect/Effect"

export interface WaitingLine {
  readonly isEmpty: () => boolean
  /** Waits for its turn, then runs the effect. A fiber that is interrupted while it waits leaves the line. */
  readonly enter: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): WaitingLine => {
  /** Each with the function that lets it in; the newest is the last. */
  const waiting: Array<() => void> = []
  let isTaken = false

  const leave = () => {
    const next = waiting.pop()
    isTaken = next !== undefined
    next?.()
  }

  return {
    isEmpty: () => !isTaken,
    enter: (effect) =>
      Effect.suspend(() => {
        let isIn = false
        let letIn: (() => void) | undefined
        const entered = Effect.callback<void>((resume) => {
          if (!isTaken) {
            isTaken = isIn = true
            return resume(Effect.void)
          }
          letIn = () => {
            isIn = true
            // A fiber runs on at once when it is resumed, within the one that leaves.
            resume(Effect.yieldNow)
          }
          waiting.push(letIn)
        })
        const left = Effect.sync(() => {
          if (isIn) leave()
          else if (letIn !== undefined) waiting.splice(waiting.indexOf(letIn), 1)
        })
        return Effect.ensuring(Effect.andThen(entered, effect), left)
      })
  }
}
