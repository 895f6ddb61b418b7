/**
 * Prints a table of the proposals that `custody contract import` makes for each service's own document: `node
 * test/support/servers/dialects/importTable.ts`. With `--look` it prints every candidate and field.
 */
import * as OpenApi from "effect/http-api/OpenApi"
import { HttpApi } from "@effect-custody/sdk/HttpApi"
import * as ApiDocument from "@effect-custody/contract/unstable/ApiDocument"
import { ownOperations } from "@effect-custody/contract/unstable/OperationMatch"
import { type Proposal, propose } from "@effect-custody/contract/unstable/Proposal"
import { CustodyApi } from "@effect-custody/sdk"
import { documents, type Published } from "./documents.ts"

const own = ownOperations(CustodyApi, OpenApi.fromApi(HttpApi))

/** The result for one document. */
export interface Count {
  readonly name: string
  readonly right: number
  readonly wrong: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  readonly proposal: Proposal
}

export const count = ({ document, name, right }: Published): Count => {
  const proposal = propose(ApiDocument.read(document)!, own)
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
