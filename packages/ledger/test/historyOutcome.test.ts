import type * as Reconciliation from "@effect-custody/transactions/Reconciliation"
import { Transaction } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { stepAfterSearch } from "../src/evidence.ts"

type Field = Reconciliation.Difference["field"]

/** A candidate by its id, and the fields that differ; those in `hidden` are not shown at all. */
const candidate = (
  id: string,
  fields: ReadonlyArray<Field>,
  { hidden = [], note = "salary" }: { readonly hidden?: ReadonlyArray<Field>; readonly note?: string } = {}
): Reconciliation.Candidate => ({
  transaction: Schema.decodeSync(Transaction)({ id, status: "COMPLETED" }),
  differences: [...fields, ...hidden].map((field) => ({
    field,
    requested: field === "note" ? "june-1" : "ours",
    shown: hidden.includes(field) ? undefined : field === "note" ? note : "theirs"
  }))
})

const search = (
  candidates: readonly [Reconciliation.Candidate, ...Array<Reconciliation.Candidate>],
  taken: ReadonlyArray<string> = []
) => stepAfterSearch({ _tag: "SeveralCandidates", candidates }, (id) => taken.includes(id))

describe("the text about the candidates of an undecided payout", () => {
  it("the transaction of another payout is no candidate, and the likeliest one comes first", () => {
    const found = search(
      [
        candidate("tx-1", ["amount", "note"]),
        candidate("tx-2", ["note"]),
        candidate("tx-3", [], { hidden: ["note"] }),
        candidate("tx-4", ["note"])
      ],
      ["tx-2"]
    )
    assert.deepStrictEqual(found, {
      step: "missing",
      detail:
        "these transactions may be it: tx-3 (differs in note), tx-4 (differs in note), tx-1 (differs in amount, note)"
    })
  })

  it("a transaction of another type, or with another amount and destination, is left out", () => {
    const found = search([
      candidate("tx-1", ["amount", "to", "note"]),
      candidate("tx-2", ["type", "note"]),
      candidate("tx-3", ["to", "note"])
    ])
    assert.strictEqual(found.detail, "these transactions may be it: tx-3 (differs in to, note)")
  })

  it("a field that is not shown leaves nothing out, and neither does what bears the note", () => {
    const found = search([
      candidate("tx-1", ["amount", "note"], { hidden: ["to"] }),
      candidate("tx-2", ["amount", "to"]),
      candidate("tx-3", ["amount", "to", "note"], { note: "Payment JUNE-1" })
    ])
    for (const id of ["tx-1", "tx-2", "tx-3"]) assert.include(found.detail, `${id} (`)
  })

  it("without a likely candidate, a person still decides", () => {
    assert.deepStrictEqual(
      search([candidate("tx-1", ["note"]), candidate("tx-2", ["amount", "to", "note"])], ["tx-1"]),
      {
        step: "missing",
        detail:
          "each candidate is the transaction of another payout, or has another type, or another amount and destination"
      }
    )
  })
})
