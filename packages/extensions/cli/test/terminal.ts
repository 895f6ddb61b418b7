import { type Cause, Effect, Layer, Option, Queue, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"

/** A terminal that receives these keys. Without keys it cannot prompt. `before` runs before it is read from. */
export const terminal = (keys: string, before: Effect.Effect<void> = Effect.void) =>
  Layer.mergeAll(
    Layer.effect(
      Terminal.Terminal,
      Effect.gen(function* () {
        const pressed = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
        const sizes = yield* Queue.unbounded<Terminal.Size, Cause.Done>()
        yield* Queue.offer(sizes, { columns: 80, rows: 24 })
        for (const name of keys) {
          yield* Queue.offer(pressed, {
            input: Option.some(name),
            key: { name, ctrl: false, meta: false, shift: false }
          })
        }
        return Terminal.make({
          columns: Effect.succeed(80),
          rows: Effect.succeed(24),
          size: Effect.succeed(sizes),
          readInput: Effect.as(before, pressed),
          readLine: Effect.never,
          display: () => Effect.void
        })
      })
    ),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canAnimate: false,
      canPrompt: keys !== ""
    })
  )
