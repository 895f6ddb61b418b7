/** `pnpm simulate money`: plays schedules against the emulator's ledger. `../../support/simulation/seeds.ts` says the options. */
import { seedsCommand } from "../../support/simulation/seeds.ts"
import { moneyBugs } from "./bugs.ts"
import type { Report } from "./simulation.ts"

const load = async () => {
  const { isUncertain, simulate } = await import("./simulation.ts")
  const { listMistakes, totals } = await import("./totals.ts")
  return {
    simulate: (seed: number) => simulate(seed),
    mistakesOf: (report: Report) => [
      ...listMistakes(report),
      ...report.accounts
        .filter((account) => isUncertain(account) && account.result !== "unknown")
        .map(({ name, operation }) => `seed ${report.seed}: ${operation} of ${name} is uncertain, and nobody was told`)
    ],
    summarize: (reports: ReadonlyArray<Report>) => {
      const { done, doubted, reconciled, uncertain, uncertainReported, withResult, writes } = totals(reports)
      return [
        `${writes} logical writes (${done.size} operations done, ${doubted.size} left uncertain)`,
        `told done ${withResult("done")}, outcome unknown ${withResult("unknown")}, not done ${withResult("notDone")}, gone ${withResult("nothing")}`,
        `left uncertain: ${uncertain}; told so: ${uncertainReported}`,
        `reconciled: found ${reconciled("Found")}, not found ${reconciled("NotFoundSoFar")}, several candidates ${reconciled("SeveralCandidates")}`
      ]
    }
  }
}

await seedsCommand<Report>({ url: import.meta.url, bugs: moneyBugs, defaultSeeds: 10_000, perThread: 100, load })
