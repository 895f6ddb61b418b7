/** Ours: a model orders, a person approves whatever is held, and the worker pays, through the faults. */
import { Amount } from "@effect-custody/core"
import { Payouts } from "@effect-custody/ledger"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Path from "node:path"
import { root } from "../../../../tools/workspace.ts"
import type { Contender } from "../../../src/lostAnswers/Contender.ts"
import { atWork, clientAt, emulated, order, pays, reference } from "../../../src/lostAnswers/contenders/custody.ts"
import { leadTo } from "../../../src/lostAnswers/vendors.ts"
import { patience } from "../../../src/lostAnswers/verdict.ts"
import { hear, program } from "../tool.ts"

const custody = Path.join(root, "packages/extensions/cli/bin/custody.mjs")

const approve = Effect.fnUntraced(function* (batch: string) {
  const { digest, payouts } = yield* Payouts.review(batch)
  if (payouts.length > 0) yield* Payouts.approve(batch, { by: "bob", digest })
})

const start = async () => {
  let settle = (): Promise<unknown> => Promise.resolve()
  const world = await emulated(async (place) => {
    leadTo(place.baseUrl)
    const { call, close } = await program(custody, {
      args: ["mcp", "--max-sum", "usdc=20", "--max-count", "5"],
      env: {
        CUSTODY_ENVIRONMENT: "emulator",
        CUSTODY_BASE_URL: place.baseUrl,
        CUSTODY_API_KEY: Redacted.value(await place.newApiKey()),
        CUSTODY_SESSION_FILE: Path.join(place.directory, "session.db")
      },
      cwd: place.directory
    })
    const pay = async (key = "") => {
      const input = { ...order, amount: Amount.format(order.amount), reference: key }
      const { batch } = JSON.parse(hear(await call("submit_payout", input), /"state":/))
      // A worker that may have paid looks for the payment for longer than the benchmark waits.
      const paid = approve(batch).pipe(Effect.andThen(Payouts.pay(key, order)), Effect.timeoutOption(patience))
      settle = async () => Effect.runPromise(atWork(await clientAt(place), place.directory, paid))
    }
    return Object.assign(pay, { close: close! })
  })
  const payments = async () => {
    await settle()
    return world.payments()
  }
  return { ...world, payments }
}

export const contenders: ReadonlyArray<Contender> = [
  { ...reference, package: "@effect-custody/cli", call: "custody mcp, submit_payout", pays, start }
]
