/**
 * Fuzzes the decoders of every operation: `pnpm simulate fuzz --cases 100000 --from 0`. A case is run again by its
 * number.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { run } from "./fuzz.ts"

const { values } = parseArgs({
  options: { cases: { type: "string", default: "100000" }, from: { type: "string", default: "0" } }
})
const from = Number(values.from)
const cases = Number(values.cases)
const startedAt = performance.now()

const { counts, faults, longest } = await Effect.runPromise(run(from, cases))

console.log(`${cases} cases from ${from} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
console.log(`the longest, ${longest.number}, took ${longest.millis.toFixed(0)} ms`)
for (const [tag, count] of Object.entries(counts).toSorted(([, a], [, b]) => b - a)) console.log(`  ${tag}: ${count}`)
for (const { number, operation, what } of faults.slice(0, 50)) console.error(`case ${number}, ${operation}: ${what}`)
if (faults.length > 0) {
  console.error(`${faults.length} faults`)
  process.exitCode = 1
}
