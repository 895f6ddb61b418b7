/** Bugs that the simulation of money must find. */
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import { type Bugs, moduleAt } from "../../support/simulation/plant.ts"

type Decide = Parameters<typeof import("../../../packages/transactions/src/reconciliation/Comparison.ts").decide>
type Wanted = Decide[0]
type Row = Decide[1][number]

const comparison = moduleAt<typeof import("../../../packages/transactions/src/reconciliation/Comparison.ts")>(
  "packages/transactions/src/reconciliation/Comparison.ts"
)
const errorAnswer = moduleAt<typeof import("../../../packages/core/src/answer/Answer.ts")>(
  "packages/core/src/answer/Answer.ts"
)
const success = moduleAt<typeof import("../../../packages/core/src/answer/Answer.ts")>(
  "packages/core/src/answer/Answer.ts"
)
const historySearch = moduleAt<typeof import("../../../packages/transactions/src/reconciliation/HistorySearch.ts")>(
  "packages/transactions/src/reconciliation/HistorySearch.ts"
)
const unknownWrites = moduleAt<typeof import("../../../packages/core/src/call/unknownWrites.ts")>(
  "packages/core/src/call/unknownWrites.ts"
)

/** The comparison without the rows that certainly seem to be another payment. */
const excluding = (isAnother: (wanted: Wanted, row: Row) => boolean) =>
  comparison({
    decide: (decide) => (wanted, rows) =>
      decide(
        wanted,
        rows.filter((row) => !isAnother(wanted, row))
      )
  })

interface Paged {
  readonly page?: number | undefined
}

/** After a first page without rows, a history counts as empty, whatever is asked. */
export const believingEmpty = <Query extends Paged, Page extends { readonly items: ReadonlyArray<unknown> }, E, R>(
  read: (query: Query) => Effect.Effect<Page, E, R>
) => {
  let empty: Page | undefined
  return (query: Query): Effect.Effect<Page, E, R> =>
    Effect.suspend(() =>
      empty === undefined
        ? Effect.tap(read(query), (page) =>
            Effect.sync(() => {
              if ((query.page ?? 1) === 1 && page.items.length === 0) empty = page
            })
          )
        : Effect.succeed(empty)
    )
}

export const moneyBugs = {
  /** A caller that retries blindly repeats a write with an unknown outcome. */
  "forgets unknown writes": [
    unknownWrites({
      make: (make) => () => ({ ...make(), remember: () => {} })
    })
  ],
  /** The history is read from the time of the call, by a clock that may be ahead of the service. */
  "the clocks agree": [
    historySearch({
      find: (find) => (list, wanted, options) => find(list, wanted, { ...options, clockSkew: 0 })
    })
  ],
  /** The only candidate counts as found without its note. */
  "the only candidate is ours": [
    comparison({
      decide: (decide) => (wanted, rows) => {
        const decided = decide(wanted, rows)
        if (decided._tag !== "SeveralCandidates" || decided.candidates.length > 1) return decided
        return { _tag: "Found", transaction: decided.candidates[0].transaction }
      }
    })
  ],
  /** A row with another amount counts as another payment, whatever the fee and the sign. */
  "another amount excludes": [
    excluding(({ amount }, row) => row.amount !== undefined && !BigDecimal.equals(amount, row.amount))
  ],
  /** A note in another case counts as the sent note. */
  "case says nothing": [
    comparison({
      decide:
        (decide) =>
        ({ note, ...wanted }, rows) =>
          decide(
            { ...wanted, note: note?.toLowerCase() },
            rows.map(({ note, ...row }) => (note === undefined ? row : { ...row, note: note.toLowerCase() }))
          )
    })
  ],
  /** A row with another name of the asset counts as another payment. */
  "another name excludes": [excluding(({ assetId }, row) => row.assetId !== assetId)],
  /** An empty filtered history counts as complete. */
  "an empty filter is believed": [
    historySearch({
      find:
        (find) =>
        (list, ...rest) =>
          find({ ...list, read: believingEmpty(list.read) }, ...rest),
      findEach:
        (findEach) =>
        (list, ...rest) =>
          findEach({ ...list, read: believingEmpty(list.read) }, ...rest)
    })
  ],
  /** A changed note counts as another note. */
  "notes come back unchanged": [excluding(({ note }, row) => row.note !== note)],
  /** A refusal by a proxy counts as a refusal by the service. */
  "a page is a refusal": [errorAnswer({ isOwn: () => () => true })],
  /** An error inside a 200 is not read. */
  "a 200 is a success": [success({ refusal: () => () => undefined })],
  /** A flag of a failure inside a 200 is not read. */
  "a flag says nothing": [
    success({
      refusal: (refusal) => (answer) => {
        const reason = refusal(answer)
        return reason?.endsWith(" error: success") === true ? undefined : reason
      }
    })
  ]
} satisfies Bugs
