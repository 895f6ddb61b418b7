/**
 * `node test/mistakenContract/main.ts` prints two tables, over HTTP on the loopback and with a real ledger.
 *
 * The mistakes of a new user: how many of the eight payouts the service had paid, rightly + wrongly, with
 * `risksWrongPayouts`, before a person confirmed anything, and in the end. The mutations of right contracts: what the tools
 * notice of each.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { mistakesOf } from "./mistakes.ts"
import { notices } from "./notices.ts"
import { type Paid, play, type Result } from "./stage.ts"
import type { Subject } from "./subject.ts"
import { payments } from "./service.ts"
import { overSockets } from "./sockets.ts"
import { transfers } from "./transfers.ts"

const paid = ({ right, wrong }: Paid) => `${right} + ${wrong}`

const personOf = ({ objections }: Result) =>
  objections === undefined ? "is shown nothing" : objections.length === 0 ? "confirms" : objections.join(", ")

const printMistakes = Effect.fnUntraced(function* (subject: Subject) {
  yield* Console.log(`\n${subject.service.name}\n`)
  yield* Console.log("| mistake | at once | before a person | the person | in the end | states |")
  yield* Console.log("| --- | ---: | ---: | --- | ---: | --- |")
  for (const mistake of [{ name: "none", contract: subject.right }, ...mistakesOf(subject)]) {
    const [atOnce, played] = yield* Effect.all(
      [play(subject, mistake, overSockets, { risksWrongPayouts: true }), play(subject, mistake, overSockets)],
      { concurrency: "unbounded" }
    )
    const shown = Object.entries(played.states).map(([state, number]) => `${number} ${state}`)
    const end = played.stopped === undefined ? shown.join(", ") : `${shown.join(", ")}: ${played.stopped}`
    const cells = [mistake.name, paid(atOnce.before), paid(played.before), personOf(played), paid(played.after), end]
    yield* Console.log(`| ${cells.join(" | ")} |`)
  }
})

const printMutations = Effect.gen(function* () {
  yield* Console.log("\n| service | mutation | check | compiler | probe | show | first payout | paid |")
  yield* Console.log("| --- | --- | --- | --- | --- | --- | --- | ---: |")
  for (const { mutation, payout, ...notice } of yield* notices) {
    const { check = "", compiler = "", probe = "", show = "" } = notice
    const stop = payout?.stopped === undefined ? "" : `stops: ${payout.stopped.slice(0, 60)}`
    const seen = payout === undefined ? "" : stop === "" ? `person ${personOf(payout)}` : stop
    const cells = [mutation.subject.service.name, mutation.name, check, compiler, probe, show, seen]
    yield* Console.log(`| ${[...cells, payout === undefined ? "" : paid(payout.after)].join(" | ")} |`)
  }
})

const [, , only] = process.argv

const program = Effect.gen(function* () {
  if (only !== "mutations") yield* Effect.forEach([payments, transfers], printMistakes)
  if (only !== "mistakes") yield* printMutations
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, NodeServices.layer)))
