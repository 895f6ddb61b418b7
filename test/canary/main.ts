/**
 * `pnpm canary`: secrets of every kind and size, every call, every failure, every sink. Prints what was looked at, and ends
 * with 1 if a secret was seen, or if a leak that was planted was not.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { detector } from "./detector.ts"
import { failures } from "./failures.ts"
import { count, look, lookAtEmulator, sample, whole } from "./matrix.ts"
import { planted, plants } from "./plants.ts"
import { calls } from "./world.ts"

const { values } = parseArgs({ options: { "per-row": { type: "string" } } })
const rows = values["per-row"] === undefined ? whole() : sample(whole(), Number(values["per-row"]))

const counted = count()
for (const row of rows) {
  const before = counted.leaks.length
  await Effect.runPromise(look(row, counted))
  console.log(`${row.name}: ${row.tried.length} calls, ${counted.leaks.length - before} leaks`)
}

await Effect.runPromise(lookAtEmulator(counted))

const { find } = detector([planted])
const found = new Set<string>()
let ways = 0
for (const sinks of await Effect.runPromise(plants)) {
  ways++
  for (const [sink, text] of Object.entries(sinks)) if (find(text) !== undefined) found.add(sink)
}
const blind = [...counted.sinks].filter((sink) => !found.has(sink))

for (const { excerpt, sink, where } of counted.leaks.slice(0, 50))
  console.log(`LEAK in ${sink}: ${where}\n  …${excerpt}…`)
console.log(
  [
    "",
    `secrets     ${counted.secrets.size} (kinds × sizes × parts of the world)`,
    `calls       ${calls.length} different, ${counted.cases} made`,
    `failures    ${failures.length}`,
    `sinks       ${counted.sinks.size}, ${counted.texts} texts searched`,
    `leaks       ${counted.leaks.length}`,
    `planted     ${ways}, seen in ${found.size} sinks; sinks where none was seen: ${blind.length === 0 ? "none" : blind.join(", ")}`
  ].join("\n")
)
process.exitCode = counted.leaks.length + blind.length === 0 ? 0 : 1
