/**
 * What `custody contract import` makes of each service's own document, as a table: `node
 * test/support/servers/dialects/importTable.ts`. With `--look` it prints every candidate and field.
 */
import { Result } from "effect"
import { read } from "../../../../packages/cli/src/internal/document/read.ts"
import { type Proposal, propose } from "../../../../packages/cli/src/internal/match/propose.ts"
import { documents, type Published } from "./documents.ts"

/** What was found in one document. */
export interface Count {
  readonly name: string
  readonly right: number
  readonly wrong: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  readonly proposal: Proposal
}

export const count = ({ document, name, right }: Published): Count => {
  const proposal = propose(Result.getOrThrow(read(JSON.stringify(document))))
  const proposed = proposal.entries.filter(({ verdict }) => verdict === "proposed")
  const wrong = proposed.filter(({ candidates, operation }) => right.get(operation) !== candidates[0]!.theirs)
  return {
    name,
    right: proposed.length - wrong.length,
    wrong: wrong.map(({ candidates, operation }) => `${operation}: ${candidates[0]!.theirs}`),
    left: proposal.entries.filter(({ verdict }) => verdict !== "proposed").map(({ operation }) => operation),
    proposal
  }
}

if (import.meta.main) {
  console.log("| service | proposed rightly | wrongly | left to a person |")
  console.log("| --- | --- | --- | --- |")
  for (const { left, name, proposal, right, wrong } of documents.map(count)) {
    console.log(`| ${[name, right, wrong.length, left.length].join(" | ")} |`)
    if (process.argv.includes("--look")) console.log(JSON.stringify(proposal, undefined, 2))
  }
}
