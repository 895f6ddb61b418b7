/** Prints how a run goes on, on standard error. */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as States from "./states.ts"

export interface Sample {
  /** In milliseconds. */
  readonly at: number
  readonly states: States.States
}

/** The rate is that of the last so many milliseconds. */
const rateOver = 20_000
/** The time between two lines, in milliseconds. */
const interval = 5_000

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

/** Prints the progress of a run. Leaves out a line that equals the one before. */
export const make = Effect.sync(() => {
  const samples: Array<Sample> = []
  let [shownAt, shown] = [-Infinity, ""]
  /** Prints a line about `what`, but only so often, unless it is the last one about it. */
  const print = Effect.fnUntraced(function* (what: string, isLast: boolean, line = what) {
    const at = yield* Clock.currentTimeMillis
    if (what === shown || (at - shownAt < interval && !isLast)) return
    shown = what
    shownAt = at
    yield* Console.error(line)
  })
  const show = Effect.fnUntraced(function* (states: States.States) {
    samples.push({ at: yield* Clock.currentTimeMillis, states })
    // The first sample says where the run began; of the others, only the last ones count.
    while (samples.length > 200) samples.splice(1, 1)
    yield* print(States.describe(states), States.countWorking(states) === 0, render(samples))
  })
  return { show, say: print }
})
