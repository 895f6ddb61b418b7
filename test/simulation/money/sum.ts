/** Many schedules, added up. */
import { isUncertain, type Reconciled, type Report, type Told, wrong } from "./simulation.ts"

export interface Sum {
  schedules: number
  writes: number
  requests: number
  carriedOut: number
  /** Uncertain ends, and how many of them were told. */
  uncertain: number
  uncertainTold: number
  /** By what the caller was told. */
  told: Record<Told, number>
  /** By what the history said of what was in doubt. */
  reconciled: Record<Reconciled, number>
  /** Everything that must not be, with its seed. */
  wrong: Array<string>
  /** The operations that were told to be done, and those that ended in uncertainty. */
  done: Set<string>
  doubted: Set<string>
}

export const nothingYet = (): Sum => ({
  schedules: 0,
  writes: 0,
  requests: 0,
  carriedOut: 0,
  uncertain: 0,
  uncertainTold: 0,
  told: { done: 0, unknown: 0, notDone: 0, nothing: 0 },
  reconciled: { Found: 0, NotFoundSoFar: 0, SeveralCandidates: 0 },
  wrong: [],
  done: new Set(),
  doubted: new Set()
})

export const add = (sum: Sum, report: Report): void => {
  sum.schedules++
  sum.requests += report.requests
  const complain = (what: string) => {
    sum.wrong.push(`seed ${report.seed}: ${what}: ${report.history.join(" · ")}`)
  }
  if (report.strangers !== 0) complain(`${report.strangers} entries of the ledger are nobody's`)
  for (const account of report.accounts) {
    sum.writes++
    sum.carriedOut += account.carriedOut
    sum.told[account.told]++
    if (account.reconciled !== undefined) sum.reconciled[account.reconciled]++
    if (account.told === "done") sum.done.add(account.operation)
    if (isUncertain(account)) {
      sum.doubted.add(account.operation)
      sum.uncertain++
      if (account.told === "unknown") sum.uncertainTold++
    }
    const what = wrong(account)
    if (what !== undefined) complain(`${account.operation} of ${account.name} was ${what} (${account.by})`)
  }
}

/** The sums of several parts. */
export const merge = (parts: ReadonlyArray<Sum>): Sum => {
  const whole = nothingYet()
  for (const part of parts) {
    whole.schedules += part.schedules
    whole.writes += part.writes
    whole.requests += part.requests
    whole.carriedOut += part.carriedOut
    whole.uncertain += part.uncertain
    whole.uncertainTold += part.uncertainTold
    whole.told.done += part.told.done
    whole.told.unknown += part.told.unknown
    whole.told.notDone += part.told.notDone
    whole.told.nothing += part.told.nothing
    whole.reconciled.Found += part.reconciled.Found
    whole.reconciled.NotFoundSoFar += part.reconciled.NotFoundSoFar
    whole.reconciled.SeveralCandidates += part.reconciled.SeveralCandidates
    whole.wrong.push(...part.wrong)
    for (const operation of part.done) whole.done.add(operation)
    for (const operation of part.doubted) whole.doubted.add(operation)
  }
  return whole
}
