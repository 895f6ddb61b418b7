/** Shrinks a run that breaks an invariant to the fewest faults that break the same invariant. */
import { type Ran, run } from "./run.ts"

/** The limit of runs. */
const maxRuns = 300

const invariantOf = (ran: Ran): string | undefined => ran.violations[0]?.slice(0, 2)

export const shrink = (
  seed: number,
  broken: Ran
): { readonly faults: ReadonlyArray<string>; readonly trace: ReadonlyArray<string> } => {
  const wanted = invariantOf(broken)
  let without = new Set<number>()
  let best = broken
  let left = maxRuns
  for (let size = Math.ceil(best.faults.length / 2); size >= 1 && left > 0;) {
    let isSmaller = false
    for (let start = 0; start < best.faults.length && left > 0; start += size) {
      left--
      const candidate = new Set([...without, ...best.faults.slice(start, start + size).map(({ index }) => index)])
      const ran = run(seed, { without: candidate })
      if (invariantOf(ran) !== wanted || ran.faults.length >= best.faults.length) continue
      without = candidate
      best = ran
      isSmaller = true
      break
    }
    if (!isSmaller) size = size === 1 ? 0 : Math.ceil(size / 2)
    else size = Math.min(size, Math.max(1, best.faults.length))
  }
  return {
    faults: best.faults.map(({ at, kind, where }) => `${kind} (${where}, ${(at / 1000).toFixed(3)} s)`),
    trace: run(seed, { without, trace: true }).trace
  }
}
