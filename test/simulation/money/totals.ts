/** Many schedules, added up. */
import { type Account, isUncertain, type Reconciled, type Report, type Told, wrong } from "./simulation.ts"

/** Everything that must not be in a schedule, with its seed. */
export const complaintsOf = ({ accounts, history, seed, strangers }: Report): ReadonlyArray<string> => {
  const complaints = accounts.flatMap((account) => {
    const what = wrong(account)
    return what === undefined ? [] : [`${account.operation} of ${account.name} was ${what} (${account.by})`]
  })
  if (strangers !== 0) complaints.push(`${strangers} entries of the ledger are nobody's`)
  return complaints.map((what) => `seed ${seed}: ${what}: ${history.join(" · ")}`)
}

const operationsOf = (accounts: ReadonlyArray<Account>): ReadonlySet<string> =>
  new Set(accounts.map(({ operation }) => operation))

export const sumOf = (reports: ReadonlyArray<Report>) => {
  const accounts = reports.flatMap((report) => report.accounts)
  const uncertain = accounts.filter(isUncertain)
  return {
    schedules: reports.length,
    writes: accounts.length,
    told: (what: Told) => accounts.filter(({ told }) => told === what).length,
    /** By what the history said of what was in doubt. */
    reconciled: (as: Reconciled) => accounts.filter(({ reconciled }) => reconciled === as).length,
    /** Uncertain ends, and how many of them were told. */
    uncertain: uncertain.length,
    uncertainTold: uncertain.filter(({ told }) => told === "unknown").length,
    wrong: reports.flatMap(complaintsOf),
    /** The operations that were told to be done, and those that ended in uncertainty. */
    done: operationsOf(accounts.filter(({ told }) => told === "done")),
    doubted: operationsOf(uncertain)
  }
}
