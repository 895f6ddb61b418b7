/** Shows how a run goes on: one line that changes on a terminal, plain lines elsewhere. */
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as States from "./states.ts"

export interface Sample {
  /** In milliseconds. */
  readonly at: number
  readonly states: States.States
}

/** The rate is that of the last so many milliseconds. */
const rateOver = 20_000
const plainEvery = 10_000

const ended = ({ states }: Sample): number => States.count(states, "paid", "failed", "refused")

/** Hours, minutes and seconds, such as `1:02:03`. */
const clock = (seconds: number): string => {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  const two = (part: number) => String(part).padStart(2, "0")
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** Such as `312/500  8 sending, 290 paid  12.3/s, 0:15 left`. */
export const render = (samples: ReadonlyArray<Sample>): string => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return ""
  const done = ended(last) - ended(first)
  const left = States.countWorking(last.states)
  const undecided = States.count(last.states, "undecided")
  const since = samples.find(({ at }) => at >= last.at - rateOver) ?? first
  const seconds = (last.at - since.at) / 1000
  const rate = seconds < 1 ? 0 : (ended(last) - ended(since)) / seconds
  const speed = rate === 0 || left === 0 ? "" : `  ${rate.toFixed(1)}/s, ${clock(left / rate)} left`
  return `${done}/${done + left + undecided}  ${States.describe(last.states)}${speed}`
}

/** Makes what shows a sample. `close` leaves the terminal at the beginning of a line. */
export const make = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  // The capabilities are those of standard output, and the progress goes to standard error.
  const isAnimated = (yield* TerminalCapabilities.TerminalCapabilities).canAnimate && (yield* stdio.stderrIsTerminal)
  const samples: Array<Sample> = []
  let [shownAt, shown] = [-Infinity, ""]
  const write = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr()))
  /** A line that wraps could not be replaced. */
  const fitting = (text: string) =>
    Effect.map(terminal.columns, (columns) => `\r\u001b[K${text.slice(0, Math.max(columns - 1, 20))}`)
  /** Says something that is no number of payouts. What is `final` stays. */
  const say = Effect.fnUntraced(function* (text: string, isFinal: boolean) {
    if (isAnimated) return yield* write(isFinal ? `\r\u001b[K${text}\n` : yield* fitting(text))
    if (isFinal) yield* Console.error(text)
  })
  const show = Effect.fnUntraced(function* (states: States.States) {
    const at = yield* Clock.currentTimeMillis
    samples.push({ at, states })
    // The first sample says where the run began; of the others, only the last ones count.
    while (samples.length > 200) samples.splice(1, 1)
    if (isAnimated) return yield* write(yield* fitting(render(samples)))
    const text = States.describe(states)
    if (text === shown || (at - shownAt < plainEvery && States.countWorking(states) > 0)) return
    shown = text
    shownAt = at
    yield* Console.error(render(samples))
  })
  return { show, say, close: isAnimated ? write("\n") : Effect.void }
})
