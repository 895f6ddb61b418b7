/**
 * `pnpm bench compare BEFORE.json AFTER.json`: two results of `pnpm bench --json` as one table, in Markdown. Each ratio is
 * against a bare client in the same run, so that results of different machines may stand beside each other.
 */
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
  const lines = after.rows.flatMap(({ job, name, ratio, service, spread }) => {
    const was = before.rows.find((row) => row.name === name && row.job === job && row.service === service)
    if (was === undefined) return [`| ${name} | ${job}, ${service} | – | ${ratio.toFixed(2)} | new |`]
    const verdict = spread.low > was.spread.high ? "**slower**" : spread.high < was.spread.low ? "faster" : "same"
    return [`| ${name} | ${job}, ${service} | ${was.ratio.toFixed(2)} | ${ratio.toFixed(2)} | ${verdict} |`]
  })
  return [
    "CPU time per call, as a multiple of what a bare undici request takes in the same run.",
    "",
    "| client | call | before | after | |",
    "| --- | --- | ---: | ---: | --- |",
    ...lines
  ].join("\n")
}

if (import.meta.main) {
  const [before, after] = process.argv.slice(2)
  if (before === undefined || after === undefined) {
    console.error("usage: pnpm bench compare BEFORE.json AFTER.json")
    process.exit(2)
  }
  console.log(compare(readJson(before), readJson(after)))
}
