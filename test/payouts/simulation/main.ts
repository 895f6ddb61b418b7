/**
 * `pnpm simulate ledger`: plays schedules of the ledger. A mistake is a payout that was paid twice, was lost, or did not
 * end. `../../support/simulation/seeds.ts` says the options.
 */
import { seedsCommand } from "../../support/simulation/seeds.ts"
import { ledgerBugs } from "./bugs.ts"
import type { Report } from "./simulation.ts"

const summarize = (reports: ReadonlyArray<Report>) => {
  const sum = (of: (report: Report) => number) => reports.reduce((total, report) => total + of(report), 0)
  const inState = (state: string) => sum(({ states }) => states[state] ?? 0)
  const all = sum(({ states }) => Object.values(states).reduce((one, other) => one + other, 0))
  return [
    `${all} payouts: ${inState("paid")} paid, ${inState("failed")} failed, ${inState("refused")} refused; ${sum(({ decided }) => decided)} decisions of a person, ${sum(({ deaths }) => deaths)} dead processes`,
    `${sum(({ confirmed }) => confirmed)} first payouts confirmed, ${sum(({ suspected }) => suspected)} payouts suspected, ${sum(({ alarms }) => alarms)} alarms, ${sum(({ archived }) => archived)} payouts archived, ${sum(({ hasGoneBack }) => Number(hasGoneBack))} databases that went back and forgot ${sum(({ forgotten }) => forgotten)} payouts`
  ]
}

await seedsCommand<Report>({
  url: import.meta.url,
  bugs: ledgerBugs,
  defaultSeeds: 2_000,
  perThread: 20,
  load: async () => ({
    simulate: (await import("./simulation.ts")).simulate,
    mistakesOf: ({ history, mistakes, seed }) =>
      mistakes.map((mistake) => `seed ${seed}: ${mistake}: ${history.join(" · ")}`),
    summarize
  })
})
