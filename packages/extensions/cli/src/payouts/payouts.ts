/** `custody payouts`: pays a file of payouts once, and shows what became of each. */
import * as CliCommand from "effect/cli/Command"
import { command as drill } from "./drill.ts"
import { command as exported } from "./export.ts"
import { acknowledge, approve, archive, cancel, confirm, decide, sendAgain } from "./people.ts"
import { dryRun, run } from "./run.ts"
import { serve } from "./serve.ts"
import { list, show, status } from "./status.ts"
import { command as tieOut } from "./tieOut.ts"

export const command = CliCommand.make("payouts").pipe(
  CliCommand.withDescription("Pays a CSV file of payouts, each once, and shows what became of them"),
  CliCommand.withSubcommands([
    run,
    dryRun,
    status,
    list,
    show,
    approve,
    confirm,
    decide,
    acknowledge,
    cancel,
    sendAgain,
    tieOut,
    exported,
    archive,
    drill,
    serve
  ])
)
