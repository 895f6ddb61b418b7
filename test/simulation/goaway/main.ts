/**
 * `node test/simulation/goaway/main.ts --writes 5000 --every 300`: writes over HTTP/2 to a service that says GOAWAY every
 * 300 ms. Prints the account. Exits with 1 if a write ends unknown, or is not carried out once.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { brokenClaims, run } from "./goaway.ts"

const { values } = parseArgs({
  options: {
    writes: { type: "string", default: "5000" },
    callers: { type: "string", default: "16" },
    every: { type: "string", default: "300" },
    "one-way": { type: "string", default: "20" }
  }
})

const account = await Effect.runPromise(
  run({
    writes: Number(values.writes),
    callers: Number(values.callers),
    every: Number(values.every),
    oneWay: Number(values["one-way"])
  })
)
console.table(account)
const broken = brokenClaims(account)
for (const claim of broken) console.error(`✗ ${claim}`)
process.exitCode = broken.length === 0 ? 0 : 1
