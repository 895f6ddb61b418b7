/**
 * `node test/contracts/main.ts` prints two tables, over HTTP on the loopback and with a real ledger.
 *
 * The mistakes of a new user: how many of the eight payouts the service had paid, rightly + wrongly, with
 * `risksWrongPayouts`, before a person confirmed anything, and in the end. The mutations of right contracts: what the tools
 * notice of each, with the examples of the document and with examples that agree with the mistake.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Mistake, mistakesOf } from "./mistakes.ts"
import { load, write } from "./mutated.ts"
import { isSilent, isSilentWithoutExamples, notices } from "./notices.ts"
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
  const right: Mistake = { name: "none", subject, changes: [] }
  for (const mistake of [right, ...mistakesOf(subject)]) {
    const contract = yield* Effect.promise(() => load(write(mistake)))
    const given = { ...mistake, contract }
    const both = yield* Effect.exit(
      Effect.all([play(subject, given, overSockets, { risksWrongPayouts: true }), play(subject, given, overSockets)], {
        concurrency: "unbounded"
      })
    )
    if (Exit.isFailure(both)) {
      yield* Console.log(`| ${mistake.name} | 0 + 0 | 0 + 0 | is shown nothing | 0 + 0 | refused before a request |`)
      continue
    }
    const [atOnce, played] = both.value
    const shown = Object.entries(played.states).map(([state, number]) => `${number} ${state}`)
    const end = played.stopped === undefined ? shown.join(", ") : `${shown.join(", ")}: ${played.stopped}`
    const cells = [mistake.name, paid(atOnce.before), paid(played.before), personOf(played), paid(played.after), end]
    yield* Console.log(`| ${cells.join(" | ")} |`)
  }
})

const shorten = (text = ""): string => text.replaceAll(/\s+/g, " ").slice(0, 60)

const printMutations = Effect.gen(function* () {
  yield* Console.log("\n| service | mutation | compiler | example | back | probe | first payout | paid | silent |")
  yield* Console.log("| --- | --- | --- | --- | --- | --- | --- | ---: | --- |")
  for (const noticed of yield* notices) {
    const { back, compiler = "", example, mutation, payout, probe = "" } = noticed
    const stop = payout?.stopped === undefined ? "" : `stops: ${shorten(payout.stopped)}`
    const seen = payout === undefined ? "" : stop === "" ? `person ${personOf(payout)}` : stop
    const silent = isSilent(noticed) ? "yes" : isSilentWithoutExamples(noticed) ? "without examples" : ""
    const tools = [compiler, example === undefined ? "" : "refused", back === undefined ? "" : "refused", probe]
    const cells = [mutation.subject.service.name, mutation.name, ...tools, seen]
    yield* Console.log(`| ${[...cells, payout === undefined ? "" : paid(payout.after), silent].join(" | ")} |`)
  }
})

const [, , only] = process.argv

const program = Effect.gen(function* () {
  if (only !== "mutations") yield* Effect.forEach([payments, transfers], printMistakes)
  if (only !== "mistakes") yield* printMutations
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, NodeServices.layer)))
