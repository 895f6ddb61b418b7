/**
 * `pnpm canary`: secrets of every kind and size, every call, every failure, every sink. Prints what was looked at, and ends
 * with 1 if a secret was seen, or if a leak that was planted was not.
 *
 * `--part 2/4` makes every fourth row and every fourth call of the emulator, from the second; `--only TEXT` those whose
 * name has the text; `--per-row N` so many cases of each row. The planted leaks are looked for in each run.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { chosen } from "../support/parts.ts"
import { detector } from "./detector.ts"
import { emulated } from "./emulated.ts"
import { failures } from "./failures.ts"
import { count, look, lookAtEmulator, sample, whole } from "./matrix.ts"
import { planted, plants } from "./plants.ts"
import { calls } from "./world.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    "per-row": { type: "string" }
  }
})
const perRow = values["per-row"] === undefined ? Infinity : Number(values["per-row"])
if (!(perRow >= 1)) throw new Error(`--per-row ${values["per-row"]} is not a number of cases`)

const isChosen = chosen(values)
const rows = sample(whole(), perRow).filter(({ name }, at) => isChosen(name, at))
const ofEmulator = emulated.filter(({ where }, at) => isChosen(where, at))
if (rows.length + ofEmulator.length === 0) throw new Error("no row and no call is chosen")

const counted = count()
const started = process.cpuUsage()
for (const row of rows) {
  const before = counted.leaks.length
  await Effect.runPromise(look(row, counted))
  console.log(`${row.name}: ${row.tried.length} calls, ${counted.leaks.length - before} leaks`)
}

await Effect.runPromise(lookAtEmulator(ofEmulator, counted))
const { system, user } = process.cpuUsage(started)

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
    `planted     ${ways}, seen in ${found.size} sinks; sinks where none was seen: ${blind.length === 0 ? "none" : blind.join(", ")}`,
    `rows        ${rows.length} of ${whole().length}, and ${ofEmulator.length} of ${emulated.length} calls of the emulator`,
    `CPU         ${((user + system) / 60e6).toFixed(1)} minutes`,
    counted.leaks.length > 0
      ? `FAILED: ${counted.leaks.length} leaks.`
      : blind.length > 0
        ? `FAILED: in ${blind.length} sinks no planted leak was seen.`
        : "Passed: no secret was seen, and a planted leak was seen in every sink."
  ].join("\n")
)
process.exitCode = counted.leaks.length + blind.length === 0 ? 0 : 1
