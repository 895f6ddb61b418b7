/** The only tool that writes: it orders a payout, which a person approves. */
import * as Payouts from "@effect-custody/ledger/Payouts"
import { PayoutState } from "@effect-custody/ledger/Payout"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Status from "../payouts/status.ts"
import { Refusal, refusal, visible } from "./refusal.ts"

const text = (description: string) => Schema.String.annotate({ description })

const SubmitPayout = Tool.make("submit_payout", {
  description:
    "Orders a payout. It is held: nothing is paid until a person approves it. Call it again with the same reference, if " +
    "there was no answer or to see the state: that is the same payout, and never a second one. Never order the same " +
    "payout under another reference.",
  parameters: Schema.Struct({
    reference: text("The name of the payout, from what it pays, such as invoice-7f3a. Each reference is paid once"),
    clientId: text("The client who pays"),
    assetId: text("The asset, such as usdc"),
    to: text("The external address"),
    amount: text("Such as 12.50, in units of the asset"),
    networkId: Schema.optionalKey(text("Required if the asset is on several networks")),
    note: Schema.optionalKey(text("The note of the transaction; default: the reference"))
  }),
  success: Schema.Struct({ ...Status.Shown.fields, state: PayoutState }),
  failure: Refusal
})
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Idempotent, true)
  .annotate(Tool.Strict, true)

const toolkit = Toolkit.make(SubmitPayout)

export interface Options {
  /** The name under which the orders are submitted. Whoever approves them has another. */
  readonly by: string
  /** What agents may order on a day. */
  readonly atMost: Payouts.Allowance
}

/** The batch of a day (UTC): all that agents order on that day, in any process. */
const batchOf = (day: DateTime.DateTime): string => `agents-${DateTime.formatIsoDateUtc(day)}`

export const layer = ({ atMost, by }: Options): Layer.Layer<never, never, McpServer.McpServer | Payouts.Payouts> =>
  Layer.unwrap(
    Payouts.Payouts.useSync((payouts) =>
      McpServer.toolkit(toolkit).pipe(
        Layer.provide(
          toolkit.toLayer({
            submit_payout: Effect.fnUntraced(function* (cells) {
              const [order] = yield* Payouts.decodeOrders([cells])
              const batch = batchOf(yield* DateTime.now)
              yield* payouts.hold({ batch, by, orders: [order!], atMost })
              return visible(Status.record(Option.getOrThrow(yield* payouts.get(order!.reference))))
            }, Effect.mapError(refusal))
          })
        )
      )
    )
  )
