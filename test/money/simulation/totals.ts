/** Adds up the reports of many schedules. */
import { type Account, findMistake, isUncertain, type Reconciled, type Report, type Result } from "./simulation.ts"

/** Lists the mistakes of a schedule with its seed. */
export const listMistakes = ({ accounts, history, seed, strangers }: Report): ReadonlyArray<string> => {
  const mistakes = accounts.flatMap((account) => {
    const mistake = findMistake(account)
    return mistake === undefined ? [] : [`${account.operation} of ${account.name} was ${mistake} (${account.by})`]
  })
  if (strangers !== 0) mistakes.push(`${strangers} entries of the ledger have no logical write`)
  return mistakes.map((mistake) => `seed ${seed}: ${mistake}: ${history.join(" · ")}`)
}

const distinctOperations = (accounts: ReadonlyArray<Account>): ReadonlySet<string> =>
  new Set(accounts.map(({ operation }) => operation))

export const totals = (reports: ReadonlyArray<Report>) => {
  const accounts = reports.flatMap((report) => report.accounts)
  const uncertain = accounts.filter(isUncertain)
  return {
    writes: accounts.length,
    withResult: (result: Result) => accounts.filter((account) => account.result === result).length,
    /** The number of reconciliations with a result. */
    reconciled: (tag: Reconciled) => accounts.filter(({ reconciled }) => reconciled === tag).length,
    /** The number of uncertain ends, and how many of them were reported. */
    uncertain: uncertain.length,
    uncertainReported: uncertain.filter(({ result }) => result === "unknown").length,
    mistakes: reports.flatMap(listMistakes),
    /** The operations that were reported as done, and the operations with an uncertain end. */
    done: distinctOperations(accounts.filter(({ result }) => result === "done")),
    doubted: distinctOperations(uncertain)
  }
}
