import * as Amount from "@effect-custody/core/Amount"
import { OtherApiError, RateLimited } from "@effect-custody/core/ApiError"
import { Transaction } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  afterSend,
  decideSearch,
  describe as whyNot,
  dismissalsOf,
  judge,
  judgeSearch,
  type Known,
  pairOf,
  stepsOf
} from "../src/evidence.ts"
import type { Followed } from "../src/payoutRows.ts"

const ordered: Followed = {
  reference: "june-1",
  attempt: 1,
  clientId: "alice",
  assetId: "usdc",
  networkId: "polygon",
  to: "0xabc",
  amount: Amount.of("12.50"),
  note: "june-1",
  state: "unknown",
  transactionId: null,
  detail: null,
  intentAt: 0,
  dueAt: 0,
  missedAt: null,
  searchedFrom: null,
  isUnchecked: false
}

type Row = Partial<typeof Transaction.Encoded>

const row = (shown: Row) => Schema.decodeSync(Transaction)({ id: "t", status: "COMPLETED", ...shown })

const outgoing = { type: "OUTGOING", clientId: "alice", assetId: "usdc", to: "0xabc", amount: "12.5" } as const
const noted = { ...outgoing, note: "june-1" } as const
const other = { ...outgoing, note: "by hand" } as const

/** The payout with its transaction, such as its send has answered. */
const own = { state: "accepted", transactionId: "t" } as const
const paid = { ...own, state: "paid" } as const
const failed = { ...own, state: "failed" } as const
const ready = { state: "ready" } as const
const withAnother = { state: "paid", transactionId: "t-1" } as const

const shows: Known = { showsNotes: true, dismissed: new Set() }
const without = (of: string): Known => ({ showsNotes: false, dismissed: new Set([pairOf("t", of)]) })
const [dismissed, dismissedTerms] = [without(dismissalsOf(ordered).own), without(dismissalsOf(ordered).terms)]

type Line = readonly [
  sentence: string,
  payout: Partial<Followed>,
  row: Row,
  verdict: "is" | "unsure" | "another",
  steps: string,
  known?: Known
]

const table: ReadonlyArray<Line> = [
  // Its transaction, by the service's answer to its send.
  ["its transaction that shows nothing else", own, {}, "is", "completed"],
  ["its transaction in another spelling", own, { ...noted, clientId: "Alice", to: "0xABC" }, "is", "completed"],
  ["its transaction with a negative amount", own, { ...outgoing, amount: "-12.5" }, "is", "completed"],
  ["its transaction that is pending, with an amount of 0", own, { status: "PENDING", amount: "0" }, "is", ""],
  ["its transaction that is final, with an amount of 0", own, { amount: "0" }, "unsure", "unclear"],
  ["its transaction that was rejected", own, { status: "REJECTED" }, "is", "failed"],
  ["its transaction with an unmapped status", own, { status: "SETTLED" }, "is", ""],
  ["its transaction with an unmapped type", own, { ...outgoing, type: "DEPOSIT" }, "unsure", "unclear"],
  ["its transaction that is incoming", own, { ...outgoing, type: "INCOMING" }, "unsure", "mismatched"],
  ["its transaction of another client", own, { ...outgoing, clientId: "bob" }, "unsure", "mismatched"],
  ["its transaction in another asset", own, { ...outgoing, assetId: "eth" }, "unsure", "mismatched"],
  ["its transaction on another network", own, { ...outgoing, networkId: "ethereum" }, "unsure", "mismatched"],
  ["its transaction to another recipient", own, { ...outgoing, to: "0xdef" }, "unsure", "mismatched"],
  // Amounts and fees.
  [
    "a fee of the network's coin hides nothing: too little",
    own,
    { amount: "0.01", fee: "27.3" },
    "unsure",
    "mismatched"
  ],
  ["a fee of the network's coin hides nothing: too much", own, { amount: "35", fee: "27.3" }, "unsure", "mismatched"],
  ["a gap of the fee, of an unknown asset", own, { amount: "12.6", fee: "0.1" }, "unsure", "unclear"],
  ["a gap of the fee, pending", own, { status: "PENDING", amount: "12.6", fee: "0.1" }, "unsure", ""],
  ["a gap of the fee, in its asset", own, { amount: "12.6", fee: "0.1", feeAssetId: "USDC" }, "is", "completed"],
  [
    "the amount without the fee, in its asset",
    own,
    { amount: "12.4", fee: "0.1", feeAssetId: "usdc" },
    "is",
    "completed"
  ],
  [
    "a gap of the fee, in another asset",
    own,
    { amount: "12.6", fee: "0.1", feeAssetId: "pol" },
    "unsure",
    "mismatched"
  ],
  ["a gap of less than the fee", own, { amount: "12.55", fee: "0.1", feeAssetId: "usdc" }, "unsure", "unclear"],
  ["a gap without a fee", own, { amount: "12.51" }, "unsure", "mismatched"],
  ["ten times the amount", own, { amount: "125" }, "unsure", "mismatched"],
  ["an amount that a person has taken as it is", { ...own, isUnchecked: true }, { amount: "35" }, "is", "completed"],
  // Ends that change.
  ["a paid payout that is shown as paid", paid, noted, "is", ""],
  ["a paid payout whose transaction failed", paid, { status: "ERROR" }, "is", "reversed"],
  [
    "a paid payout whose transaction failed with an amount of 0",
    paid,
    { status: "ERROR", amount: "0" },
    "unsure",
    "reversed"
  ],
  ["a paid payout that a late replica shows as pending", paid, { status: "PENDING" }, "is", ""],
  ["a failed payout that completed", failed, noted, "is", "revived"],
  ["a failed payout that completed with another amount", failed, { amount: "35" }, "unsure", "mismatched"],
  [
    "a failed payout that completed, with a gap of the fee",
    failed,
    { amount: "12.6", fee: "0.1" },
    "unsure",
    "unclear"
  ],
  [
    "a failed payout that is shown as failed, with an amount of 0",
    failed,
    { status: "ERROR", amount: "0" },
    "unsure",
    ""
  ],
  ["an undecided payout whose transaction is shown", { ...own, state: "undecided" }, noted, "is", "found completed"],
  ["an undecided payout with an unmapped status", { ...own, state: "undecided" }, { status: "SETTLED" }, "is", ""],
  [
    "an undecided payout of an unclear amount",
    { ...own, state: "undecided" },
    { amount: "12.6", fee: "0.1" },
    "unsure",
    ""
  ],
  // Its note.
  ["its note, outgoing", {}, noted, "is", "found completed"],
  ["its note, as a transfer", {}, { ...noted, type: "INTERNAL_TRANSFER" }, "is", "found completed"],
  ["its note and its recipient, without a type", {}, { note: "june-1", to: "0xabc" }, "is", "found completed"],
  ["its note, with neither a type nor a recipient", {}, { note: "june-1", amount: "12.5" }, "unsure", ""],
  ["an outsider's deposit with its note", {}, { ...noted, type: "DEPOSIT", to: "0xours" }, "unsure", ""],
  [
    "an outsider's deposit with the note of a payout to be sent",
    ready,
    { ...noted, type: "DEPOSIT" },
    "unsure",
    "suspected"
  ],
  ["an incoming transaction with its note", {}, { ...noted, type: "INCOMING" }, "another", ""],
  ["its note with another amount", {}, { ...noted, amount: "35" }, "unsure", "mismatched"],
  ["its note with an amount that a fee may explain", {}, { ...noted, amount: "12.6", fee: "0.1" }, "unsure", ""],
  [
    "its note with such an amount, before it is sent again",
    ready,
    { ...noted, amount: "12.6", fee: "0.1" },
    "unsure",
    "suspected"
  ],
  ["its note after it was refused", { state: "refused" }, noted, "is", "found completed"],
  ["its note, which a person has dismissed", ready, noted, "another", "", dismissed],
  ["a second payment with its note", withAnother, noted, "is", "found"],
  ["another payment with its note", withAnother, { ...noted, amount: "35" }, "another", ""],
  ["a deposit with its note, after it was paid", withAnother, { ...noted, type: "DEPOSIT" }, "unsure", ""],
  // Neither.
  ["an equal payment under another note", ready, other, "unsure", ""],
  ["an equal payment without a note", ready, outgoing, "unsure", ""],
  ["an equal payment of an unmapped type", ready, { ...outgoing, type: "DEPOSIT" }, "unsure", ""],
  ["an equal payment with its fee", ready, { ...other, amount: "12.6", fee: "0.1" }, "unsure", ""],
  ["an equal payment in another unit", ready, { ...other, amount: "-12500000" }, "unsure", ""],
  ["an equal payment without its fee", ready, { ...other, amount: "12.4" }, "unsure", ""],
  ["an equal payment whose amount is not shown", ready, { ...other, amount: undefined }, "unsure", ""],
  ["a note that the history masks", ready, { ...outgoing, note: "june-x" }, "unsure", ""],
  [
    "another note of the same form, while the history may change notes",
    ready,
    { ...outgoing, note: "june-2" },
    "unsure",
    ""
  ],
  ["another note, while the history shows notes", ready, { ...outgoing, note: "june-2" }, "another", "", shows],
  ["a beginning of its note, while the history shows notes", ready, { ...outgoing, note: "june" }, "unsure", "", shows],
  ["a note of another form, while the history shows notes", ready, other, "unsure", "", shows],
  ["its note among other words", ready, { ...outgoing, note: "Payment JUNE-1", amount: "35" }, "unsure", "", shows],
  ["no note, while the history shows notes", ready, outgoing, "unsure", "", shows],
  ["an equal payment that a person has dismissed", ready, other, "another", "", dismissedTerms],
  ["an equal payment that was dismissed, of a payout that may be sent", {}, other, "unsure", "", dismissedTerms],
  ["its note, on a row that was dismissed for an equal payout", {}, noted, "is", "found completed", dismissedTerms],
  ["a payment of another amount", ready, { ...other, amount: "35" }, "another", ""],
  ["a payment to another recipient", ready, { ...other, to: "0xdef" }, "another", ""],
  ["a payment of another client", ready, { ...other, clientId: "bob" }, "another", ""],
  ["a payment of another asset", ready, { ...other, assetId: "eth" }, "another", ""],
  ["incoming money", ready, { ...other, type: "INCOMING" }, "another", ""]
]

describe("the judge of evidence", () => {
  for (const [sentence, changes, shown, verdict, steps, known] of table) {
    it(sentence, () => {
      const payout = { ...ordered, ...changes }
      const judgement = judge(payout, row(shown), known)
      assert.strictEqual(judgement.verdict, verdict, whyNot(judgement))
      const taken = stepsOf(payout, row(shown), judgement)
      assert.strictEqual(taken.map(({ step }) => step).join(" "), steps)
    })
  }

  it("only a row that is the payout marks it paid", () => {
    const marks = table.filter(([, , , , steps]) => /found|completed|revived/.test(steps))
    assert.deepStrictEqual([...new Set(marks.map(([, , , verdict]) => verdict))], ["is"])
  })

  it("each field that differs is named with what was ordered and what is shown, the certain ones first", () => {
    const shown = { ...outgoing, clientId: "bob", assetId: "eth", networkId: "ethereum", to: "0xdef", type: "INCOMING" }
    assert.strictEqual(
      whyNot(judge({ ...ordered, ...own }, row({ ...shown, amount: "12.6", fee: "0.1" }))),
      "recipient: 0xabc here, 0xdef there; client: alice here, bob there; type: OUTGOING here, INCOMING there; " +
        "asset: usdc here, eth there; network: polygon here, ethereum there; amount: 12.50 here, 12.6 there"
    )
  })
})

/** The search for the payout in some rows, of which other payouts own the taken ones. */
const search = (rows: ReadonlyArray<Row>, changes: Partial<Followed> = {}, taken: ReadonlyArray<string> = []) => {
  const payout = { ...ordered, ...changes }
  const found = decideSearch(payout, { showsNotes: false, dismissed: new Set() })(rows.map(row))
  const { doubt, move } = judgeSearch(payout, Result.succeed(found), (id) =>
    taken.includes(id) ? "another" : undefined
  )
  return { step: move.step, transactionId: move.transactionId, detail: move.detail, doubt }
}

describe("the search for a payout", () => {
  it("one row with its note is it, also of a payout whose own transaction was not shown before", () => {
    assert.include(search([noted, { ...other, id: "t-2" }]), { step: "found", transactionId: "t", doubt: undefined })
    assert.include(search([{}], { ...own, state: "undecided" }), { step: "found", transactionId: "t" })
  })

  it("what cannot tell is named, the most alike first, and is a doubt until the person's evidence names it", () => {
    const rows = [
      { ...other, id: "t-1", amount: "12.6" },
      { ...other, id: "t-2" },
      { ...noted, id: "t-3", type: "DEPOSIT" }
    ]
    const detail =
      "these transactions may be it: t-2 (differs in note), t-3 (differs in type), t-1 (differs in amount, note)"
    assert.include(search(rows), { step: "missing", detail })
    assert.include(search(rows).doubt, "its evidence does not name: t-2, t-3, t-1")
    assert.isUndefined(search(rows, { detail: search(rows).detail ?? "" }).doubt)
  })

  it("two rows with its note are left to a person", () => {
    assert.include(search([noted, { ...noted, id: "t-2" }]).detail, "these transactions may be it: t, t-2")
  })

  it("what is certainly another payment, or another payout's, is not named", () => {
    assert.include(
      search([
        { ...other, to: "0xdef" },
        { ...other, id: "t-2", amount: "35" }
      ]),
      {
        detail: "the whole history does not show it",
        doubt: undefined
      }
    )
    assert.include(search([other], {}, ["t"]), {
      detail: "each candidate is the transaction of another payout",
      doubt: undefined
    })
  })
})

const answered = { operation: "transactions.send", summary: "No", errors: {}, code: undefined }

it.each([
  [new OtherApiError({ ...answered, status: 409 }), "refused"],
  [new OtherApiError({ ...answered, status: 503 }), "refused"],
  [new RateLimited({ ...answered, status: 429 }), "notSent"]
] as const)(
  "a send that ends with %s is %s: of the answers, only a rate limit lets it be sent again",
  (error, step) => {
    assert.strictEqual(afterSend({ _tag: "NotDone", error }, 1, 1_000).step, step)
  }
)
