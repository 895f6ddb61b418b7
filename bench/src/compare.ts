/**
 * `pnpm bench compare BEFORE.json AFTER.json`: two results of `pnpm bench --json` as one table, in Markdown. Each ratio is
 * against a bare client in the same run, so that results of different machines may stand beside each other.
 */
import { table } from "../../tools/docs/tables.ts"
import { readJson } from "../../tools/workspace.ts"

export interface Results {
  readonly rows: ReadonlyArray<{
    readonly name: string
    readonly service: string
    readonly job: string
    readonly ratio: number
    readonly spread: { readonly low: number; readonly high: number }
  }>
}

/** The rows of both, and whether the middle halves of the rounds are apart: then it is no noise. */
export const compare = (before: Results, after: Results): string => {
  const rows = after.rows.map(({ job, name, ratio, service, spread }) => {
    const was = before.rows.find((row) => row.name === name && row.job === job && row.service === service)
    const cells = (then: string, verdict: string) => [name, `${job}, ${service}`, then, ratio.toFixed(2), verdict]
    if (was === undefined) return cells("–", "new")
    const verdict = spread.low > was.spread.high ? "**slower**" : spread.high < was.spread.low ? "faster" : "same"
    return cells(was.ratio.toFixed(2), verdict)
  })
  const heading = "CPU time per call, as a multiple of what a bare undici request takes in the same run."
  return `${heading}\n\n${table(["client", "call", "before", "after", ""], rows, 2)}`
}

if (import.meta.main) {
  const [before, after] = process.argv.slice(2)
  if (before === undefined || after === undefined) {
    console.error("usage: pnpm bench compare BEFORE.json AFTER.json")
    process.exit(2)
  }
  console.log(compare(readJson(before), readJson(after)))
}
