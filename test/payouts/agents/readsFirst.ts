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
import { serve } from "../../../packages/extensions/cli/src/mcp/server.ts"
import * as SubmitPayout from "../../../packages/extensions/cli/src/mcp/submitPayout.ts"
import { exceeded } from "../../../packages/extensions/ledger/src/submit.ts"
import { sumsFor } from "./settings.ts"

const [store = "", payouts = ""] = process.argv.slice(2)

const database = store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(store), maxConnections: 2 })
  : LedgerSqlite.layer({ filename: store })

const ledger = Layer.effect(
  Payouts.Payouts,
  Effect.map(Payouts.Payouts, (payouts) => ({
    ...payouts,
    hold: Effect.fnUntraced(function* ({ atMost, batch, by, orders }: Payouts.HoldInput) {
      const columns = ({ amount, assetId }: Pick<Payouts.Order, "amount" | "assetId">) => ({
        asset_id: assetId,
        amount: Amount.format(amount)
      })
      const before = yield* payouts.list({ batch, limit: 100_000 })
      const added = yield* Effect.filter(orders, ({ reference }) => Effect.map(payouts.get(reference), Option.isNone))
      const failure = exceeded(batch, before.map(columns), added.map(columns), atMost!)
      if (failure !== undefined) return yield* failure
      yield* Effect.sleep("50 millis")
      return yield* payouts.hold({ batch, by, orders })
    })
  }))
).pipe(Layer.provide(Payouts.layer()), Layer.provide(database))

const sums = Record.map(sumsFor(Number(payouts)), (sum) => Amount.fromStringUnsafe(sum))
const tool = SubmitPayout.layer({ by: "agent", atMost: { payouts: Number(payouts), sums } })

NodeRuntime.runMain(serve(Layer.provide(tool, ledger)).pipe(Effect.provide(NodeServices.layer)))
