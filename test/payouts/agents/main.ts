/**
 * `node test/payouts/agents/main.ts --store sqlite|postgres --payouts N --kills N --seed N`: an agent orders
 * payouts through two processes of `custody mcp`, loses answers, and repeats each call up to five times. So many payouts may
 * be held; it wants half as many more. A person approves, and workers pay. Exits with 1 if an order was paid twice, more was
 * paid than may be held, or a payout without an approval. `--how readsFirst|renamed` must fail.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { attack } from "./attack.ts"
import { ways } from "./settings.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    how: { type: "string", default: "held" },
    payouts: { type: "string", default: "2000" },
    kills: { type: "string", default: "40" },
    seed: { type: "string", default: "1" }
  }
})

const main = Effect.gen(function* () {
  const outcome = yield* attack({
    store: values.store === "postgres" ? "postgres" : "sqlite",
    how: ways.find((one) => one === values.how) ?? "held",
    payouts: Number(values.payouts),
    kills: Number(values.kills),
    seed: Number(values.seed)
  })
  yield* Console.log(JSON.stringify({ ...values, ...outcome }))
  const { changed, lost, notPaid, orderedTwice, overCount, overSum, twice, unapproved } = outcome
  if (changed + lost + notPaid + orderedTwice + overCount + overSum + twice + unapproved > 0) process.exitCode = 1
})

NodeRuntime.runMain(main)
