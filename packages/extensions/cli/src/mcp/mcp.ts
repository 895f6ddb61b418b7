/** `custody mcp`: tools for an agent, which reads, and orders payouts that a person approves. */
import * as Amount from "@effect-custody/core/Amount"
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Place from "../payouts/place.ts"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"

/** The sums by asset. A repeated asset is refused: one of its sums would be ignored. */
const readSums = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const sums = new Map<string, Amount.Amount>()
  const invalid = (value: string, expected: string) =>
    new CliError.InvalidValue({ option: "max-sum", value, expected, kind: "flag" })
  for (const text of texts) {
    const at = text.lastIndexOf("=")
    const [asset, sum] = [text.slice(0, at), Schema.decodeOption(Amount.Positive)(text.slice(at + 1))]
    if (at < 1 || Option.isNone(sum)) return yield* invalid(text, "ASSET=AMOUNT, such as usdc=5000")
    if (sums.has(asset)) return yield* invalid(text, `one sum for ${asset}`)
    sums.set(asset, sum.value)
  }
  return Object.fromEntries(sums)
})

const config = {
  maxSum: Flag.String("max-sum").pipe(
    Flag.withDescription(
      "How much of an asset agents may order on a day (UTC), such as usdc=5000; once for each asset"
    ),
    Flag.withMetavar("ASSET=AMOUNT"),
    Flag.atLeast(1),
    Flag.mapEffect(readSums),
    Flag.optional
  ),
  maxCount: Flag.Int("max-count").pipe(
    Flag.withDescription("How many payouts agents may order on a day (UTC)"),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
    Flag.optional
  ),
  by: Flag.String("by").pipe(
    Flag.withDescription("The agent's name in the ledger; whoever approves has another; default: agent"),
    Flag.withMetavar("NAME"),
    Flag.withDefault("agent")
  ),
  ...Place.flags,
  contract: ContractFiles.flag
}

export const command = CliCommand.make(
  "mcp",
  config,
  Effect.fnUntraced(function* ({ by, contract, maxCount, maxSum, ...options }) {
    // Only this command loads Effect's MCP server.
    const [ReadTools, Server, SubmitPayout] = yield* Effect.promise(() =>
      Promise.all([import("./readTools.ts"), import("./server.ts"), import("./submitPayout.ts")])
    )
    const reads = Layer.provide(ReadTools.layer, Client.under(ContractFiles.layer(contract)))
    if (Option.isNone(maxSum) && Option.isNone(maxCount)) return yield* Output.orFail(Server.serve(reads))
    if (Option.isNone(maxSum) || Option.isNone(maxCount)) {
      return yield* Output.failure("give both --max-sum and --max-count, or neither: then an agent can only read")
    }
    const place = yield* Place.locate(options)
    yield* Effect.logInfo(
      `Agents may order payouts into ${Place.describe(place)}${(yield* Place.isNew(place)) ? ", a new ledger" : ""}`
    )
    const write = SubmitPayout.layer({ by, atMost: { payouts: maxCount.value, sums: maxSum.value } })
    yield* Output.orFail(Server.serve(Layer.merge(reads, Layer.provide(write, Place.layer(place)))))
  })
).pipe(
  CliCommand.withDescription(
    "Serves tools to an agent (MCP, over standard input and output): every read and, with --max-sum and --max-count, " +
      "submit_payout. What it submits is held until a person approves it with custody payouts approve"
  )
)
