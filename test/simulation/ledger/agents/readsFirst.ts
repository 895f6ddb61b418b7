/** The tool of `custody mcp` over a ledger that checks the limits before the transaction that writes. Exceeds them. */
import { Amount } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { serve } from "../../../../packages/extensions/cli/src/mcp/server.ts"
import * as SubmitPayout from "../../../../packages/extensions/cli/src/mcp/submitPayout.ts"
import { exceeded } from "../../../../packages/extensions/ledger/src/submit.ts"
import { sumsFor } from "./settings.ts"

const [store = "", payouts = ""] = process.argv.slice(2)

const database = store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(store), maxConnections: 2 })
  : LedgerSqlite.layer({ filename: store })

const ledger = Layer.effect(
  Payouts.Payouts,
  Effect.map(Payouts.Payouts, (payouts) => ({
    ...payouts,
    hold: Effect.fnUntraced(function* ({ atMost, batch, by, order }: Payouts.HoldInput) {
      const all = [...(yield* payouts.list({ batch, limit: 100_000 })), order]
      const columns = all.map(({ amount, assetId }) => ({ asset_id: assetId, amount: Amount.format(amount) }))
      const isKnown = Option.isSome(yield* payouts.get(order.reference))
      const failure = isKnown ? undefined : exceeded(batch, columns, columns.at(-1)!, atMost)
      if (failure !== undefined) return yield* failure
      yield* Effect.sleep("50 millis")
      yield* payouts.submit({ batch, by, orders: [order], held: true })
      return Option.getOrThrow(yield* payouts.get(order.reference))
    })
  }))
).pipe(Layer.provide(Payouts.layer()), Layer.provide(database))

const sums = Record.map(sumsFor(Number(payouts)), (sum) => Amount.fromStringUnsafe(sum))
const tool = SubmitPayout.layer({ by: "agent", atMost: { payouts: Number(payouts), sums } })

NodeRuntime.runMain(serve(Layer.provide(tool, ledger)).pipe(Effect.provide(NodeServices.layer)))
